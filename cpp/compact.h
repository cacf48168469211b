// Whole numbers that fit into a byte, column by column: an eighth of the memory, and look-ups of 256 entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace savvybayes {

// Rows of adjacent numbers, `stride` numbers apart.
template <typename T>
struct Rows {
    const T* first;
    std::ptrdiff_t stride;
    std::size_t rows, columns;
};

// Writes each column of which all values are among 0, 1, ..., 255 to out + column * rows, and tells which are.
// What is written for others is of no meaning. Reads the numbers once.
template <typename T>
std::vector<char> to_bytes(const Rows<T>& source, std::uint8_t* out);

struct CompactKernels {
    // Each writes the low bytes of `count` integers, and returns all bits that any of them has.
    std::uint64_t (*narrow16)(const std::uint16_t* from, std::size_t count, std::uint8_t* to);
    std::uint64_t (*narrow32)(const std::uint32_t* from, std::size_t count, std::uint8_t* to);
    std::uint64_t (*narrow64)(const std::uint64_t* from, std::size_t count, std::uint8_t* to);

    // Writes doubles that are whole numbers among 0..255 as bytes, and tells whether all are; what is written for others
    // is of no meaning.
    bool (*narrow_doubles)(const double* from, std::size_t count, std::uint8_t* to);
};

extern const CompactKernels kPlainCompact;
#if defined(__x86_64__)
extern const CompactKernels kAvx2Compact;
extern const CompactKernels kAvx512Compact;
#endif

const CompactKernels& compact_kernels();

}  // namespace savvybayes
