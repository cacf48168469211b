#include <bit>

#include "gram.h"

namespace savvybayes {
namespace {

void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words,
                 std::uint32_t* totals) {
    for (std::size_t i = 0; i < n_planes * words; ++i) planes[i] = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        if (codes[row] >= n_planes) continue;
        planes[codes[row] * words + row / 64] |= Word{1} << (row % 64);
        ++totals[codes[row]];
    }
}

std::uint32_t meet(const Word* left, const Word* right, std::size_t words, Word* out) {
    std::uint32_t shared = 0;
    for (std::size_t w = 0; w < words; ++w) {
        out[w] = left[w] & right[w];
        shared += static_cast<std::uint32_t>(std::popcount(out[w]));
    }
    return shared;
}

void gram(const Word* const* left, const Word* const* right, std::size_t words, std::uint32_t* out,
          std::size_t stride) {
    for (std::size_t i = 0; i < kSquare; ++i)
        for (std::size_t j = 0; j < kSquare; ++j)
            for (std::size_t w = 0; w < words; ++w)
                out[i * stride + j] += static_cast<std::uint32_t>(std::popcount(left[i][w] & right[j][w]));
}

}  // namespace

constinit const GramKernels kPlainGram{16, make_planes, meet, gram};

}  // namespace savvybayes
