// Counts of all pairs of attributes by bit-planes: a Gram matrix of planes.
#pragma once

#include "block.h"
#include "counts.h"

namespace savvybayes {

// Whether planes count the pairs of attributes of so many values for less than counters do.
bool pair_suits_planes(std::size_t size, std::size_t other_size);

// Adds to `out`, the answer for `tile`, the tables of the pairs that suit planes. Weights are not looked at.
void count_pairs_by_planes(const Block& block, const PairTile& tile, Count* out);

}  // namespace savvybayes
