#include <bit>
#include <cstring>

#include "gram.h"

namespace savvybayes {
namespace {

// Bits are counted in pairs, in fours, in bytes, and the bytes added up: no instruction for it is asked for.
std::uint32_t popcount(Word bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return static_cast<std::uint32_t>(bits * 0x0101010101010101u >> 56);
}

// Which of eight codes are v, as eight bits: a byte of the difference is zero where its high bit stays unset.
static_assert(std::endian::native == std::endian::little, "the first code is to be the lowest byte");
Word equal_to(Word codes, Word v) {
    constexpr Word kLow = 0x7F7F7F7F7F7F7F7Fu;
    const Word difference = codes ^ (v * 0x0101010101010101u);
    const Word zero = ~(((difference & kLow) + kLow) | difference | kLow);
    return (zero >> 7) * 0x0102040810204080u >> 56;
}

void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words,
                 std::uint32_t* totals) {
    for (std::size_t v = 0; v < n_planes; ++v) {
        Word* plane = planes + v * words;
        for (std::size_t w = 0; w < words; ++w) plane[w] = 0;
        for (std::size_t row = 0; row < rows; row += 8) {
            Word eight = 0;
            std::memcpy(&eight, codes + row, 8);
            Word bits = equal_to(eight, v);
            if (rows - row < 8) bits &= (Word{1} << (rows - row)) - 1;
            plane[row / 64] |= bits << (row % 64);
        }
        for (std::size_t w = 0; w < words; ++w) totals[v] += popcount(plane[w]);
    }
}

std::uint32_t meet(const Word* left, const Word* right, std::size_t words, Word* out) {
    std::uint32_t shared = 0;
    for (std::size_t w = 0; w < words; ++w) {
        out[w] = left[w] & right[w];
        shared += popcount(out[w]);
    }
    return shared;
}

void gram(const Word* const* left, const Word* const* right, std::size_t words, std::uint32_t* out,
          std::size_t stride) {
    for (std::size_t i = 0; i < kSquare; ++i)
        for (std::size_t j = 0; j < kSquare; ++j)
            for (std::size_t w = 0; w < words; ++w) out[i * stride + j] += popcount(left[i][w] & right[j][w]);
}

}  // namespace

constinit const GramKernels kPlainGram{10, 27, make_planes, meet, gram};

}  // namespace savvybayes
