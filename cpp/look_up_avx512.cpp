// AVX-512: the entry of a row is one load for up to eight classes, whose mask costs nothing.
#include <immintrin.h>

#include "look_up.h"

namespace savvybayes {
namespace {

// Half a vector where that is enough: fewer loads go across the border of a line of the cache.
template <typename Offset>
void add_few(const double* const* entries, const Offset* offsets, std::size_t rows, std::size_t n, double* sums) {
    const auto there = static_cast<__mmask8>((1u << n) - 1);
    for (std::size_t row = 0; row < rows; ++row, sums += sum_stride(n)) {
        const auto e = [&](std::size_t t) { return _mm256_maskz_loadu_pd(there, entries[t] + offsets[t * kScoredRows + row]); };
        const __m256d low = _mm256_add_pd(_mm256_add_pd(e(0), e(1)), _mm256_add_pd(e(2), e(3)));
        const __m256d high = _mm256_add_pd(_mm256_add_pd(e(4), e(5)), _mm256_add_pd(e(6), e(7)));
        _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), _mm256_add_pd(low, high)));
    }
}

template <typename Offset>
void add(const double* const* entries, const Offset* offsets, std::size_t rows, std::size_t n, double* sums) {
    if (n <= 4) return add_few(entries, offsets, rows, n, sums);
    for (std::size_t begin = 0; begin < n; begin += 8) {
        const auto there = static_cast<__mmask8>(n - begin >= 8 ? 0xFF : (1u << (n - begin)) - 1);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto e = [&](std::size_t t) {
                return _mm512_maskz_loadu_pd(there, entries[t] + offsets[t * kScoredRows + row] + begin);
            };
            const __m512d low = _mm512_add_pd(_mm512_add_pd(e(0), e(1)), _mm512_add_pd(e(2), e(3)));
            const __m512d high = _mm512_add_pd(_mm512_add_pd(e(4), e(5)), _mm512_add_pd(e(6), e(7)));
            double* sum = sums + row * sum_stride(n) + begin;
            _mm512_storeu_pd(sum, _mm512_add_pd(_mm512_loadu_pd(sum), _mm512_add_pd(low, high)));
        }
    }
}

}  // namespace

constinit const LookUpKernels kAvx512LookUp{add, add};

}  // namespace savvybayes
