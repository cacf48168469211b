// Scores: summed look-ups, and their log-softmax.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "block.h"
#include "counts.h"

namespace savvybayes {

// A log table over a scope: one row per cell, row-major over its attributes, each of which has one more value than
// was seen, "unknown"; in a row one column per class, or the one of the scope's label.
struct LogTable {
    Scope scope;
    std::span<const double> entries;
};

// Writes, for each row of the block in its order and each class, the prior's entry plus the entries that the row meets
// in the tables, added in their order.
void score(const Block& block, std::span<const double> prior, std::span<const LogTable> tables, double* out);

// Turns each row of `n_classes` scores into logarithms of probabilities.
void log_softmax(double* scores, std::size_t rows, std::size_t n_classes);

}  // namespace savvybayes
