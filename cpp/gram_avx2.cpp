// AVX2: four words at a time; their bits are counted by looking up those of each half byte.
#include <immintrin.h>

#include "gram.h"

namespace savvybayes {
namespace {

__m256i load(const Word* words) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)); }

void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words,
                 std::uint32_t* totals) {
    for (std::size_t w = 0; w < words; ++w) {
        const std::size_t begin = 64 * w;
        const Word there = begin + 64 <= rows ? ~Word{0} : begin < rows ? (Word{1} << (rows - begin)) - 1 : 0;
        if (there == 0) {
            for (std::size_t v = 0; v < n_planes; ++v) planes[v * words + w] = 0;
            continue;
        }
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + begin));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + begin + 32));
        for (std::size_t v = 0; v < n_planes; ++v) {
            const __m256i value = _mm256_set1_epi8(static_cast<char>(v));
            const auto below = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, value)));
            const auto above = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, value)));
            const Word bits = (below | Word{above} << 32) & there;
            planes[v * words + w] = bits;
            totals[v] += static_cast<std::uint32_t>(_mm_popcnt_u64(bits));
        }
    }
}

// The number of bits in each byte.
__m256i popcount_bytes(__m256i bits) {
    const __m256i of_half = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                             0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i half = _mm256_set1_epi8(0x0F);
    return _mm256_add_epi8(_mm256_shuffle_epi8(of_half, _mm256_and_si256(bits, half)),
                           _mm256_shuffle_epi8(of_half, _mm256_and_si256(_mm256_srli_epi16(bits, 4), half)));
}

std::uint32_t sum(__m256i counts) {
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1));
}

std::uint32_t meet(const Word* left, const Word* right, std::size_t words, Word* out) {
    __m256i shared = _mm256_setzero_si256();
    for (std::size_t w = 0; w < words; w += 4) {
        const __m256i both = _mm256_and_si256(load(left + w), load(right + w));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + w), both);
        shared = _mm256_add_epi64(shared, _mm256_sad_epu8(popcount_bytes(both), _mm256_setzero_si256()));
    }
    return sum(shared);
}

void gram(const Word* const* left, const Word* const* right, std::size_t words, std::uint32_t* out,
          std::size_t stride) {
    for (std::size_t i = 0; i < kSquare; ++i) {
        __m256i shared[kSquare] = {};
        for (std::size_t w = 0; w < words; w += kPlaneWords) {
            const __m256i l0 = load(left[i] + w);
            const __m256i l1 = load(left[i] + w + 4);
#pragma GCC unroll 4
            for (std::size_t j = 0; j < kSquare; ++j) {
                const __m256i both0 = _mm256_and_si256(l0, load(right[j] + w));
                const __m256i both1 = _mm256_and_si256(l1, load(right[j] + w + 4));
                const __m256i bytes = _mm256_add_epi8(popcount_bytes(both0), popcount_bytes(both1));
                shared[j] = _mm256_add_epi64(shared[j], _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
            }
        }
        for (std::size_t j = 0; j < kSquare; ++j) out[i * stride + j] += sum(shared[j]);
    }
}

}  // namespace

constinit const GramKernels kAvx2Gram{95, 110, make_planes, meet, gram};

}  // namespace savvybayes
