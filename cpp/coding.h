// Columns into codes: the distinct values of a column, the bins of numbers between cuts, the codes of known values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "columns.h"
#include "types.h"

namespace savvybayes {

struct Distinct {
    std::vector<double> values;  // rising
    bool missing;
    bool exact;  // false where an integer is no double: its column is not to be read as numbers
};

Distinct distinct(const Column& column);

// Bins of numbers: bin i is what lies above exactly i of the rising `cuts`, so that a value equal to a cut goes left.
// `codes` holds the code of each bin, then that of a missing value.
template <typename Code>
class Digitiser {
  public:
    using Type = Code;

    Digitiser(std::span<const double> cuts, std::span<const Code> codes);

    // Codes the rows [begin, end) of a column into out[0], ..., out[end - begin - 1].
    void code(const Column& column, std::size_t begin, std::size_t end, Code* out) const;

  private:
    std::span<const double> cuts_;
    std::span<const Code> codes_;
    std::array<Code, 256> of_bytes_;
};

// Known values, of which labels by their positions are a case: `codes` holds the code of each of the rising `values`, then that of a missing and of an unknown one.
template <typename Code>
class LookUp {
  public:
    using Type = Code;

    LookUp(std::span<const double> values, std::span<const Code> codes);

    void code(const Column& column, std::size_t begin, std::size_t end, Code* out) const;

  private:
    std::span<const double> values_;
    std::span<const Code> codes_;
    // The codes of the whole numbers from first_ on; empty where the values are not few whole numbers.
    std::vector<Code> table_;
    std::int64_t first_ = 0, last_ = -1;
    bool consecutive_ = false;  // the codes of first_, first_ + 1, ... are 0, 1, ..., and all others are unknown
};

}  // namespace savvybayes
