// Bit-planes, and Gram matrices of them: how many rows two planes share, for many pairs of planes, is a count over pairs
// of values. One idea, a file for each set of instructions; gram_plain.cpp is the one to read.
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
    // Up to what effort planes cost less than the counters of counters.cpp, as measured: for a pair, when all pairs are
    // counted, the pairs of planes that meet; for a chosen scope its cells, and eight times the values of its largest
    // attribute, whose planes have to be made.
    std::size_t most_for_pairs, most_for_scopes;

    // Sets bit i of plane v where codes[i] is v, for each v below n_planes, and adds how many there are to totals[v].
    // Plane v begins at planes + v * words. Reads whole vectors of codes.
    void (*make_planes)(const Narrow* codes, std::size_t rows, std::size_t n_planes, Word* planes, std::size_t words,
                        std::uint32_t* totals);

    // Writes the bits that two planes share, and returns how many there are.
    std::uint32_t (*meet)(const Word* left, const Word* right, std::size_t words, Word* out);

    // Adds the number of bits that left[i] and right[j] share to out[i * stride + j], for kSquare planes by kSquare.
    void (*gram)(const Word* const* left, const Word* const* right, std::size_t words, std::uint32_t* out,
                 std::size_t stride);
};

extern const GramKernels kPlainGram;
#if defined(__x86_64__)
extern const GramKernels kAvx2Gram;
extern const GramKernels kAvx512Gram;
#elif defined(__aarch64__)
extern const GramKernels kNeonGram;
#endif

const GramKernels& gram_kernels();

}  // namespace savvybayes
