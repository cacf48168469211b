// AVX2: the entry of a row is one load for up to four classes.
#include <immintrin.h>

#include "look_up.h"

namespace savvybayes {
namespace {

template <typename Offset>
void add(const double* const* entries, const Offset* offsets, std::size_t rows, std::size_t n, double* sums) {
    for (std::size_t begin = 0; begin < n; begin += 4) {
        const auto lane = [&](std::size_t c) { return begin + c < n ? -1LL : 0LL; };
        const __m256i there = _mm256_setr_epi64x(lane(0), lane(1), lane(2), lane(3));
        for (std::size_t row = 0; row < rows; ++row) {
            const auto e = [&](std::size_t t) {
                return _mm256_maskload_pd(entries[t] + offsets[t * kScoredRows + row] + begin, there);
            };
            const __m256d low = _mm256_add_pd(_mm256_add_pd(e(0), e(1)), _mm256_add_pd(e(2), e(3)));
            const __m256d high = _mm256_add_pd(_mm256_add_pd(e(4), e(5)), _mm256_add_pd(e(6), e(7)));
            double* sum = sums + row * sum_stride(n) + begin;
            _mm256_storeu_pd(sum, _mm256_add_pd(_mm256_loadu_pd(sum), _mm256_add_pd(low, high)));
        }
    }
}

}  // namespace

constinit const LookUpKernels kAvx2LookUp{add, add};

}  // namespace savvybayes
