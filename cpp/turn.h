// Squares of bytes turned: rows become columns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace savvybayes {

// So many rows of so many columns.
constexpr std::size_t kTurned = 16;

struct TurnKernels {
    // Writes byte c of row r to byte r of column c; rows and columns are so many bytes apart.
    void (*turn)(const std::uint8_t* from, std::ptrdiff_t row_stride, std::uint8_t* to, std::size_t column_stride);
};

extern const TurnKernels kPlainTurn;
#if defined(__x86_64__)
extern const TurnKernels kAvx2Turn;
#endif

const TurnKernels& turn_kernels();

}  // namespace savvybayes
