// Mutual information of pairs of attributes, straight from a tile of pair counts.
#pragma once

#include <cstddef>
#include <span>

#include "counts.h"
#include "types.h"

namespace savvybayes {

// Throws std::invalid_argument unless so many counts are those of the tile.
void check_information(std::size_t n_counts, const PairTile& tile, std::span<const std::size_t> sizes);

// `counts` is the answer of count_pairs for `tile`, `sizes` has the number of values of every attribute.
// Writes, for each class of the tile and each of its pairs i < j, row-major, the weight of the class times
// I(X_i; X_j) within it, in nats; pairs with i >= j are set to 0.
void pair_information(std::span<const Count> counts, const PairTile& tile, std::span<const std::size_t> sizes,
                      double* out);

}  // namespace savvybayes
