// Counts of pairs by bit-planes: a plane has a bit for each row that has a value; a count is what two planes share.
#pragma once

#include <cstddef>

#include "block.h"
#include "counts.h"

namespace savvybayes {

// Adds to `out`, the answer for `tile`, the tables of the pairs of which both attributes have at most `most_values`
// values. Weights are not looked at.
void count_by_planes(const Block& block, const PairTile& tile, std::size_t most_values, Count* out);

}  // namespace savvybayes
