// Look-ups in several tables at once: the scores of a row are loaded and stored once for all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types.h"

namespace savvybayes {

// Tables that are looked up together.
constexpr std::size_t kFused = 8;

// Rows that are scored together: their offsets and their scores stay in the first-level cache.
constexpr std::size_t kScoredRows = 512;

// How far apart the sums of neighbouring rows are. Whole vectors of them are loaded and stored: if these overlapped, each
// row would wait for the one before. Static, since files of all levels include it.
static constexpr std::size_t sum_stride(std::size_t n) { return n == 1 ? 1 : n <= 4 ? 4 : (n + 7) / 8 * 8; }

// For each row, adds to its n sums what it meets in kFused tables: its n numbers in table t begin at entries[t] plus
// offsets[t * kScoredRows + row]. They are added in pairs, pairs of pairs and so on, in the same order everywhere.
template <typename Offset>
using AddEntries = void (*)(const double* const* entries, const Offset* offsets, std::size_t rows, std::size_t n,
                            double* sums);

// Offsets of 16 bits, or wider.
struct LookUpKernels {
    AddEntries<std::uint16_t> add_narrow;
    AddEntries<Cell> add_wide;
};

// The same for n = 1, where vectors have nothing to load together: there is a plain one alone.
extern const LookUpKernels kOneLookUp;

extern const LookUpKernels kPlainLookUp;
#if defined(__x86_64__)
extern const LookUpKernels kAvx2LookUp;
extern const LookUpKernels kAvx512LookUp;
#endif

const LookUpKernels& look_up_kernels();

}  // namespace savvybayes
