// AVX-512 with VPOPCNTDQ: eight words at a time.
#include <immintrin.h>

#include "gram.h"

namespace savvybayes {
namespace {

// A comparison of 64 codes gives the 64 bits of a word; 512 codes in registers give a line of each plane.
void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words,
                 std::uint32_t* totals) {
    for (std::size_t w = 0; w < words; w += 8) {
        __m512i some[8];
        __mmask64 there[8];
#pragma GCC unroll 8
        for (std::size_t k = 0; k < 8; ++k) {
            const std::size_t begin = 64 * (w + k);
            there[k] = begin + 64 <= rows ? ~__mmask64{0} : begin < rows ? (__mmask64{1} << (rows - begin)) - 1 : 0;
            some[k] = _mm512_maskz_loadu_epi8(there[k], codes + begin);
        }
        for (std::size_t v = 0; v < n_planes; ++v) {
            const __m512i value = _mm512_set1_epi8(static_cast<char>(v));
            Word* line = planes + v * words + w;
            unsigned count = 0;
#pragma GCC unroll 8
            for (std::size_t k = 0; k < 8; ++k) {
                const Word bits = _mm512_mask_cmpeq_epi8_mask(there[k], some[k], value);
                line[k] = bits;
                count += static_cast<unsigned>(__builtin_popcountll(bits));
            }
            totals[v] += count;
        }
    }
}

std::uint32_t meet(const Word* left, const Word* right, std::size_t words, Word* out) {
    __m512i shared = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += 8) {
        const __m512i both = _mm512_and_si512(_mm512_loadu_si512(left + w), _mm512_loadu_si512(right + w));
        _mm512_storeu_si512(out + w, both);
        shared = _mm512_add_epi64(shared, _mm512_popcnt_epi64(both));
    }
    return static_cast<std::uint32_t>(_mm512_reduce_add_epi64(shared));
}

// The sums of four vectors, side by side.
__m128i sums(__m512i a, __m512i b, __m512i c, __m512i d) {
    // No counter reaches 2^32: two of them share a lane.
    const __m512i ab = _mm512_or_si512(a, _mm512_slli_epi64(b, 32));
    const __m512i cd = _mm512_or_si512(c, _mm512_slli_epi64(d, 32));
    const __m512i four = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    const __m256i two = _mm256_add_epi32(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64(four, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
}

// The sixteen counters of a square stay in registers.
void gram(const Word* const* left, const Word* const* right, std::size_t words, std::uint32_t* out,
          std::size_t stride) {
    const Word *const r0 = right[0], *const r1 = right[1], *const r2 = right[2], *const r3 = right[3];
    const Word *const l0 = left[0], *const l1 = left[1], *const l2 = left[2], *const l3 = left[3];
    __m512i shared[kSquare][kSquare];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSquare; ++i)
#pragma GCC unroll 4
        for (std::size_t j = 0; j < kSquare; ++j) shared[i][j] = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += 8) {
        const __m512i r[kSquare] = {_mm512_loadu_si512(r0 + w), _mm512_loadu_si512(r1 + w), _mm512_loadu_si512(r2 + w),
                                    _mm512_loadu_si512(r3 + w)};
        const __m512i l[kSquare] = {_mm512_loadu_si512(l0 + w), _mm512_loadu_si512(l1 + w), _mm512_loadu_si512(l2 + w),
                                    _mm512_loadu_si512(l3 + w)};
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kSquare; ++i)
#pragma GCC unroll 4
            for (std::size_t j = 0; j < kSquare; ++j)
                shared[i][j] = _mm512_add_epi64(shared[i][j], _mm512_popcnt_epi64(_mm512_and_si512(l[i], r[j])));
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kSquare; ++i) {
        auto* row = reinterpret_cast<__m128i*>(out + i * stride);
        _mm_storeu_si128(row, _mm_add_epi32(_mm_loadu_si128(row),
                                            sums(shared[i][0], shared[i][1], shared[i][2], shared[i][3])));
    }
}

}  // namespace

constinit const GramKernels kAvx512Gram{600, 500, make_planes, meet, gram};

}  // namespace savvybayes
