#include "look_up.h"

namespace savvybayes {
namespace {

template <typename Offset>
void add(const double* const* entries, const Offset* offsets, std::size_t rows, std::size_t n, double* sums) {
    for (std::size_t row = 0; row < rows; ++row, sums += sum_stride(n)) {
        const double* e[kFused];
        for (std::size_t t = 0; t < kFused; ++t) e[t] = entries[t] + offsets[t * kScoredRows + row];
        for (std::size_t c = 0; c < n; ++c)
            sums[c] += ((e[0][c] + e[1][c]) + (e[2][c] + e[3][c])) + ((e[4][c] + e[5][c]) + (e[6][c] + e[7][c]));
    }
}

template <typename Offset>
void add_one(const double* const* entries, const Offset* offsets, std::size_t rows, std::size_t, double* sums) {
    for (std::size_t row = 0; row < rows; ++row) {
        const auto e = [&](std::size_t t) { return entries[t][offsets[t * kScoredRows + row]]; };
        sums[row] += ((e(0) + e(1)) + (e(2) + e(3))) + ((e(4) + e(5)) + (e(6) + e(7)));
    }
}

}  // namespace

constinit const LookUpKernels kOneLookUp{add_one, add_one};
constinit const LookUpKernels kPlainLookUp{add, add};

}  // namespace savvybayes
