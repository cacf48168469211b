// AVX-512: one instruction takes the low bytes of a vector of integers.
#include <immintrin.h>

#include "compact.h"

namespace savvybayes {
namespace {

__mmask64 first(std::size_t count) { return count >= 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1; }

std::uint64_t any_bits(__m512i x) { return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(x)); }

std::uint64_t narrow16(const std::uint16_t* from, std::size_t count, std::uint8_t* to) {
    __m512i bits = _mm512_setzero_si512();
    for (std::size_t i = 0; i < count; i += 32) {
        const auto there = static_cast<__mmask32>(first(count - i));
        const __m512i x = _mm512_maskz_loadu_epi16(there, from + i);
        bits = _mm512_or_si512(bits, x);
        _mm256_mask_storeu_epi8(to + i, there, _mm512_cvtepi16_epi8(x));
    }
    std::uint64_t all = any_bits(bits);
    all |= all >> 32;
    return (all | all >> 16) & 0xFFFF;
}

std::uint64_t narrow32(const std::uint32_t* from, std::size_t count, std::uint8_t* to) {
    __m512i bits = _mm512_setzero_si512();
    for (std::size_t i = 0; i < count; i += 16) {
        const auto there = static_cast<__mmask16>(first(count - i));
        const __m512i x = _mm512_maskz_loadu_epi32(there, from + i);
        bits = _mm512_or_si512(bits, x);
        _mm_mask_storeu_epi8(to + i, there, _mm512_cvtepi32_epi8(x));
    }
    const std::uint64_t all = any_bits(bits);
    return (all | all >> 32) & 0xFFFFFFFF;
}

std::uint64_t narrow64(const std::uint64_t* from, std::size_t count, std::uint8_t* to) {
    __m512i bits = _mm512_setzero_si512();
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m512i x = _mm512_loadu_si512(from + i);
        bits = _mm512_or_si512(bits, x);
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to + i), _mm512_cvtepi64_epi8(x));
    }
    const auto there = static_cast<__mmask8>(first(count - i));
    const __m512i x = _mm512_maskz_loadu_epi64(there, from + i);
    _mm_mask_storeu_epi8(to + i, there, _mm512_cvtepi64_epi8(x));
    return any_bits(_mm512_or_si512(bits, x));
}

// Integers of 64 bits and back: what is the same is whole; what has bits beyond a byte, of a sign too, does not fit.
bool narrow_doubles(const double* from, std::size_t count, std::uint8_t* to) {
    __mmask8 other = 0;
    __m512i bits = _mm512_setzero_si512();
    for (std::size_t i = 0; i < count; i += 8) {
        const auto there = static_cast<__mmask8>(first(count - i));
        const __m512d x = _mm512_maskz_loadu_pd(there, from + i);
        const __m512i whole = _mm512_cvttpd_epi64(x);
        other = static_cast<__mmask8>(other | _mm512_cmp_pd_mask(_mm512_cvtepi64_pd(whole), x, _CMP_NEQ_UQ));
        bits = _mm512_or_si512(bits, whole);
        _mm_mask_storeu_epi8(to + i, there, _mm512_cvtepi64_epi8(whole));
    }
    return other == 0 && any_bits(bits) <= 255;
}

}  // namespace

constinit const CompactKernels kAvx512Compact{narrow16, narrow32, narrow64, narrow_doubles};

}  // namespace savvybayes
