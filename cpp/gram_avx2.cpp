// AVX2: four words at a time; their bits are counted by looking up those of each half byte.
#include <immintrin.h>

#include <cstring>

#include "gram.h"

namespace savvybayes {
namespace {

void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words) {
    for (std::size_t begin = 0; begin < rows; begin += 64) {
        alignas(32) Narrow last[64];
        const Narrow* some = codes + begin;
        if (rows - begin < 64) {
            std::memset(last, 0xFF, sizeof last);  // a value that no plane has
            std::memcpy(last, some, rows - begin);
            some = last;
        }
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(some));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(some + 32));
        for (std::size_t v = 0; v < n_planes; ++v) {
            const __m256i value = _mm256_set1_epi8(static_cast<char>(v));
            const auto below = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, value)));
            const auto above = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, value)));
            planes[v * words + begin / 64] = below | Word{above} << 32;
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

void gram(const Word* left, const Word* right, std::size_t words, std::uint32_t* out, std::size_t stride) {
    for (std::size_t i = 0; i < kSquare; ++i) {
        __m256i shared[kSquare] = {};
        for (std::size_t w = 0; w < words; w += kPlaneWords) {
            const __m256i l0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(left + i * words + w));
            const __m256i l1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(left + i * words + w + 4));
#pragma GCC unroll 4
            for (std::size_t j = 0; j < kSquare; ++j) {
                const Word* r = right + j * words + w;
                const __m256i both0 = _mm256_and_si256(l0, _mm256_load_si256(reinterpret_cast<const __m256i*>(r)));
                const __m256i both1 = _mm256_and_si256(l1, _mm256_load_si256(reinterpret_cast<const __m256i*>(r + 4)));
                const __m256i bytes = _mm256_add_epi8(popcount_bytes(both0), popcount_bytes(both1));
                shared[j] = _mm256_add_epi64(shared[j], _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
            }
        }
        for (std::size_t j = 0; j < kSquare; ++j) {
            alignas(32) Word parts[4];
            _mm256_store_si256(reinterpret_cast<__m256i*>(parts), shared[j]);
            out[i * stride + j] = static_cast<std::uint32_t>(parts[0] + parts[1] + parts[2] + parts[3]);
        }
    }
}

}  // namespace

constinit const GramKernels kAvx2Gram{"avx2", 9, make_planes, gram};

}  // namespace savvybayes
