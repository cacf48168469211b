// AVX2: packing takes 16, 8 or 4 integers from each of two vectors, but within their halves; shuffles mend the order.
#include <immintrin.h>

#include "compact.h"

namespace savvybayes {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

void store(std::uint8_t* to, __m256i bytes) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes); }

std::uint64_t any_bits(__m256i x) {
    const __m128i two = _mm_or_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(two) | _mm_extract_epi64(two, 1));
}

std::uint64_t narrow16(const std::uint16_t* from, std::size_t count, std::uint8_t* to) {
    __m256i bits = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256i a = load(from + i);
        const __m256i b = load(from + i + 16);
        bits = _mm256_or_si256(bits, _mm256_or_si256(a, b));
        store(to + i, _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xD8));
    }
    std::uint64_t all = any_bits(bits);
    all |= all >> 32;
    all |= all >> 16;
    all &= 0xFFFF;
    for (; i < count; ++i) {
        all |= from[i];
        to[i] = static_cast<std::uint8_t>(from[i]);
    }
    return all;
}

std::uint64_t narrow32(const std::uint32_t* from, std::size_t count, std::uint8_t* to) {
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i bits = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256i a = load(from + i), b = load(from + i + 8), c = load(from + i + 16), d = load(from + i + 24);
        bits = _mm256_or_si256(bits, _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)));
        const __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
        store(to + i, _mm256_permutevar8x32_epi32(packed, order));
    }
    std::uint64_t all = any_bits(bits);
    all = (all | all >> 32) & 0xFFFFFFFF;
    for (; i < count; ++i) {
        all |= from[i];
        to[i] = static_cast<std::uint8_t>(from[i]);
    }
    return all;
}

// The low halves of eight integers: 0, 1, 4, 5 in one half of the vector, 2, 3, 6, 7 in the other.
__m256i low_halves(__m256i a, __m256i b) {
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

std::uint64_t narrow64(const std::uint64_t* from, std::size_t count, std::uint8_t* to) {
    __m256i bits = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i halves[4];
#pragma GCC unroll 4
        for (std::size_t k = 0; k < 4; ++k) {
            const __m256i a = load(from + i + 8 * k), b = load(from + i + 8 * k + 4);
            bits = _mm256_or_si256(bits, _mm256_or_si256(a, b));
            halves[k] = low_halves(a, b);
        }
        const __m256i packed = _mm256_packus_epi16(_mm256_packus_epi32(halves[0], halves[1]),
                                                   _mm256_packus_epi32(halves[2], halves[3]));
        // Pairs of bytes: 0, 2, 4, ... in one half, 1, 3, 5, ... in the other.
        const __m128i even = _mm256_castsi256_si128(packed), odd = _mm256_extracti128_si256(packed, 1);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_unpacklo_epi16(even, odd));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i + 16), _mm_unpackhi_epi16(even, odd));
    }
    std::uint64_t all = any_bits(bits);
    for (; i < count; ++i) {
        all |= from[i];
        to[i] = static_cast<std::uint8_t>(from[i]);
    }
    return all;
}

// Integers of 32 bits and back: what is the same is whole; what has bits beyond a byte, of a sign too, does not fit.
bool narrow_doubles(const double* from, std::size_t count, std::uint8_t* to) {
    const __m128i bytes = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    __m256d same = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    __m128i bits = _mm_setzero_si128();
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const __m256d x = _mm256_loadu_pd(from + i);
        const __m128i whole = _mm256_cvttpd_epi32(x);
        same = _mm256_and_pd(same, _mm256_cmp_pd(_mm256_cvtepi32_pd(whole), x, _CMP_EQ_OQ));
        bits = _mm_or_si128(bits, whole);
        const int four = _mm_cvtsi128_si32(_mm_shuffle_epi8(whole, bytes));
        for (std::size_t k = 0; k < 4; ++k) to[i + k] = static_cast<std::uint8_t>(four >> (8 * k));
    }
    bool all = _mm256_movemask_pd(same) == 0xF && _mm_testz_si128(bits, _mm_set1_epi32(~0xFF));
    for (; i < count; ++i) {
        const bool inside = from[i] >= 0.0 && from[i] <= 255.0;
        to[i] = inside ? static_cast<std::uint8_t>(from[i]) : std::uint8_t{0};
        all &= to[i] == from[i];
    }
    return all;
}

}  // namespace

constinit const CompactKernels kAvx2Compact{narrow16, narrow32, narrow64, narrow_doubles};

}  // namespace savvybayes
