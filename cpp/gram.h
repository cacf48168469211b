// Gram matrices of bit-planes: how many rows two planes share, for many pairs of planes, is a count over pairs of values.
// One idea, three sets of instructions; gram_plain.cpp is the one to read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types.h"

namespace savvybayes {

// A bit for each row: 64 of them. Planes are padded with zeros to a multiple of kPlaneWords.
using Word = std::uint64_t;
constexpr std::size_t kPlaneWords = 8;

// Planes are met in squares of so many by so many: a word that is loaded once is used four times.
constexpr std::size_t kSquare = 4;

struct GramKernels {
    const char* name;

    // From how many products of values on the counters of counts.cpp are faster, as the number of values of both.
    std::size_t most_values;

    // Sets bit i of plane v where codes[i] is v, for each v below n_planes; plane v begins at planes + v * words.
    void (*make_planes)(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words);

    // For kSquare planes from `left` on and kSquare from `right` on, each of so many words: the number of bits that
    // plane i of the left and plane j of the right share, to out[i * stride + j].
    void (*gram)(const Word* left, const Word* right, std::size_t words, std::uint32_t* out, std::size_t stride);
};

extern const GramKernels kPlainGram;
#if defined(__x86_64__)
extern const GramKernels kAvx2Gram;
extern const GramKernels kAvx512Gram;
#endif

// The best that this machine can do; the environment variable SAVVYBAYES_KERNELS (plain, avx2, avx512) asks for less.
const GramKernels& gram_kernels();

}  // namespace savvybayes
