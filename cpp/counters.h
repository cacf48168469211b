// Counts over scopes row by row: the cell of each row is worked out, and its counter raised.
#pragma once

#include <cstddef>

#include "block.h"
#include "counts.h"

namespace savvybayes {

// Adds the table of a scope in one class.
void count_scope_by_rows(const Block& block, const Scope& scope, std::size_t cls, Count* out);

// Adds the table of a pair in one class, the rows of which are `width` entries apart.
void count_pair_by_rows(const Block& block, std::size_t i, std::size_t j, std::size_t cls, std::size_t width,
                        Count* out);

// The cells of a scope's table. Throws std::invalid_argument if they are too many to be numbered.
std::size_t cells_of(const Block& block, const Scope& scope);

}  // namespace savvybayes
