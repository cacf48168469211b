// Counts over scopes, by class: sums of weights over the rows of a block.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "block.h"
#include "types.h"

namespace savvybayes {

// Some attributes and the class; `label` is the one class that is counted, or kEveryClass.
struct Scope {
    static constexpr int kEveryClass = -1;

    std::vector<std::size_t> attributes;
    int label = kEveryClass;
};

// A run of consecutive attributes or classes.
struct Range {
    std::size_t begin, end;

    std::size_t length() const { return end - begin; }
};

// Where each scope's table begins in the answer of count_scopes, and last where the answer ends.
// A table holds, for each counted class, its cells in row-major order. Throws if a scope is none of the block's.
std::vector<std::size_t> table_begins(const Block& block, std::span<const Scope> scopes);

// Adds the tables of all scopes to `out`, which has table_begins().back() entries.
void count_scopes(const Block& block, std::span<const Scope> scopes, Count* out);

// A rectangle of pairs of attributes i < j. Its answer holds, for each class, one matrix whose rows are the values of
// the attributes in `rows`, one after the other, and whose columns are those of the attributes in `columns`: a pair
// table is a submatrix. Pairs with i >= j stay empty.
struct PairTile {
    Range rows, columns, classes;
};

// The number of entries of a tile's answer. Throws if the tile reaches outside the block.
std::size_t tile_size(const Block& block, const PairTile& tile);

// Adds the pair tables of a tile to `out`.
void count_pairs(const Block& block, const PairTile& tile, Count* out);

}  // namespace savvybayes
