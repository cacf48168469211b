// NEON, which every ARM machine of 64 bits has: two words at a time, whose bits are counted byte by byte.
#include <arm_neon.h>

#include "gram.h"

namespace savvybayes {
namespace {

// Which of sixteen codes are v: each byte that is keeps a bit of its own, and the bytes of a half are added up.
Word equal_to(uint8x16_t codes, Narrow v) {
    const uint8x16_t own = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(vceqq_u8(codes, vdupq_n_u8(v)), own);
    return Word{vaddv_u8(vget_low_u8(bits))} | Word{vaddv_u8(vget_high_u8(bits))} << 8;
}

std::uint32_t popcount(Word bits) { return vaddv_u8(vcnt_u8(vcreate_u8(bits))); }

void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words,
                 std::uint32_t* totals) {
    for (std::size_t w = 0; w < words; ++w) {
        const std::size_t begin = 64 * w;
        const Word there = begin + 64 <= rows ? ~Word{0} : begin < rows ? (Word{1} << (rows - begin)) - 1 : 0;
        for (std::size_t v = 0; v < n_planes; ++v) {
            Word bits = 0;
            for (std::size_t k = 0; k < 64 && there != 0; k += 16)
                bits |= equal_to(vld1q_u8(codes + begin + k), static_cast<Narrow>(v)) << k;
            planes[v * words + w] = bits & there;
            totals[v] += popcount(bits & there);
        }
    }
}

// Adds the bits of each byte to sums of four bytes.
uint32x4_t add_bits(uint32x4_t sums, uint8x16_t bits) { return vpadalq_u16(sums, vpaddlq_u8(vcntq_u8(bits))); }

uint8x16_t load(const Word* words) { return vreinterpretq_u8_u64(vld1q_u64(words)); }

std::uint32_t meet(const Word* left, const Word* right, std::size_t words, Word* out) {
    uint32x4_t shared = vdupq_n_u32(0);
    for (std::size_t w = 0; w < words; w += 2) {
        const uint8x16_t both = vandq_u8(load(left + w), load(right + w));
        vst1q_u64(out + w, vreinterpretq_u64_u8(both));
        shared = add_bits(shared, both);
    }
    return vaddvq_u32(shared);
}

void gram(const Word* const* left, const Word* const* right, std::size_t words, std::uint32_t* out,
          std::size_t stride) {
    for (std::size_t i = 0; i < kSquare; ++i) {
        uint32x4_t shared[kSquare] = {vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0)};
        for (std::size_t w = 0; w < words; w += 2) {
            const uint8x16_t l = load(left[i] + w);
            for (std::size_t j = 0; j < kSquare; ++j) shared[j] = add_bits(shared[j], vandq_u8(l, load(right[j] + w)));
        }
        for (std::size_t j = 0; j < kSquare; ++j) out[i * stride + j] += vaddvq_u32(shared[j]);
    }
}

}  // namespace

// Between the plain and the AVX2 figures, which are measured; these are not.
constinit const GramKernels kNeonGram{40, 60, make_planes, meet, gram};

}  // namespace savvybayes
