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
// Adds, for each class of the tile and each of its pairs i < j, the weight of the class times I(X_i; X_j) within it, in
// nats, to out: row-major, a class `class_stride` entries after the other, with 0 all classes to the same place.
void pair_information(std::span<const Count> counts, const PairTile& tile, std::span<const std::size_t> sizes,
                      std::size_t class_stride, double* out);

// Gives a symmetric matrix of n rows the values above its diagonal, each divided by `weight` (if that is positive), on
// the grid and at least 0.
void mirror(std::size_t n, double weight, double* matrix);

}  // namespace savvybayes
