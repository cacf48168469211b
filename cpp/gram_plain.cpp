#include <bit>

#include "gram.h"

namespace savvybayes {
namespace {

void make_planes(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words) {
    for (std::size_t row = 0; row < rows; ++row)
        if (codes[row] < n_planes) planes[codes[row] * words + row / 64] |= Word{1} << (row % 64);
}

void gram(const Word* left, const Word* right, std::size_t words, std::uint32_t* out, std::size_t stride) {
    for (std::size_t i = 0; i < kSquare; ++i) {
        for (std::size_t j = 0; j < kSquare; ++j) {
            std::uint32_t shared = 0;
            for (std::size_t w = 0; w < words; ++w)
                shared += static_cast<std::uint32_t>(std::popcount(left[i * words + w] & right[j * words + w]));
            out[i * stride + j] = shared;
        }
    }
}

}  // namespace

constinit const GramKernels kPlainGram{"plain", 5, make_planes, gram};

}  // namespace savvybayes
