// AVX-512 with VPOPCNTDQ: eight words at a time.
#include <immintrin.h>

#include "gram.h"

namespace savvybayes {
namespace {

// A comparison of 64 codes gives the 64 bits of a word.
void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words) {
    for (std::size_t begin = 0; begin < rows; begin += 64) {
        const __mmask64 there = rows - begin >= 64 ? ~__mmask64{0} : (__mmask64{1} << (rows - begin)) - 1;
        const __m512i some = _mm512_maskz_loadu_epi8(there, codes + begin);
        for (std::size_t v = 0; v < n_planes; ++v)
            planes[v * words + begin / 64] =
                _mm512_mask_cmpeq_epi8_mask(there, some, _mm512_set1_epi8(static_cast<char>(v)));
    }
}

std::uint32_t sum(__m512i counts) {
    const __m256i four = _mm256_add_epi64(_mm512_maskz_extracti64x4_epi64(0xF, counts, 0),
                                          _mm512_maskz_extracti64x4_epi64(0xF, counts, 1));
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1));
}

// The sixteen counters of a square stay in registers.
void gram(const Word* left, const Word* right, std::size_t words, std::uint32_t* out, std::size_t stride) {
    __m512i shared[kSquare][kSquare];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSquare; ++i)
#pragma GCC unroll 4
        for (std::size_t j = 0; j < kSquare; ++j) shared[i][j] = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += 8) {
        __m512i r[kSquare];
#pragma GCC unroll 4
        for (std::size_t j = 0; j < kSquare; ++j) r[j] = _mm512_load_si512(right + j * words + w);
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kSquare; ++i) {
            const __m512i l = _mm512_load_si512(left + i * words + w);
#pragma GCC unroll 4
            for (std::size_t j = 0; j < kSquare; ++j)
                shared[i][j] = _mm512_add_epi64(shared[i][j], _mm512_popcnt_epi64(_mm512_and_si512(l, r[j])));
        }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSquare; ++i)
#pragma GCC unroll 4
        for (std::size_t j = 0; j < kSquare; ++j)
            out[i * stride + j] = sum(shared[i][j]);
}

}  // namespace

constinit const GramKernels kAvx512Gram{"avx512", 22, make_planes, gram};

}  // namespace savvybayes
