// Scores: summed look-ups, and their log-softmax.
#pragma once

#include <span>

#include "block.h"
#include "counts.h"

namespace savvybayes {

// A log table over a scope: one row per cell, row-major over its attributes, each of which has one more value than
// was seen, "unknown"; in a row one column per class, or the one of the scope's label.
struct LogTable {
    Scope scope;
    std::span<const double> entries;
};

// Writes, for each row of the block in its order, the logarithms of the classes' probabilities: the log-softmax of the
// prior plus the entries that the row meets in the tables. Two classes are scored by their log-odds: the score of the
// second less that of the first, one number a cell. A row has the same bits whatever rows it is among.
void log_probabilities(const Block& block, std::span<const double> prior, std::span<const LogTable> tables,
                       double* out);

}  // namespace savvybayes
