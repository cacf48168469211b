// Coded rows: what every count and every score is made from.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "columns.h"
#include "types.h"

namespace savvybayes {

// The codes of one attribute as they are handed in.
using AnyCodeReader = std::variant<Reader<Narrow>, Reader<Wide>>;

// Column-major codes, the rows of a class side by side, in their order: the class leaves every index.
//
// Everything is checked here, once: an attribute of r seen values has the codes 0..r-1, and r for "unknown".
class Block {
  public:
    using Codes = std::variant<std::vector<Narrow>, std::vector<Wide>>;

    // Without `classes` they are not known: then there is one part, and n_classes is 0. Without `weights` all are 1.
    // Throws std::invalid_argument.
    Block(std::size_t rows, std::vector<std::size_t> sizes, const std::vector<AnyCodeReader>& codes,
          std::optional<std::span<const Class>> classes, std::size_t n_classes,
          std::optional<std::span<const Count>> weights);

    std::size_t rows() const { return rows_; }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_attributes() const { return sizes_.size(); }
    const std::vector<std::size_t>& sizes() const { return sizes_; }
    const Codes& codes(std::size_t attribute) const { return codes_[attribute]; }

    // The rows of class c are [begins()[c], begins()[c + 1]).
    const std::vector<std::size_t>& begins() const { return begins_; }

    // Empty where all are 1.
    const std::vector<Count>& weights() const { return weights_; }

    // Throws std::invalid_argument unless the classes are known and no code of these attributes is "unknown".
    void require_countable(std::span<const std::size_t> attributes) const;

  private:
    void partition(std::span<const Class> classes);
    void take_codes(std::size_t attribute, const AnyCodeReader& reader);

    std::size_t rows_;
    std::size_t n_classes_;
    std::vector<std::size_t> sizes_;
    std::vector<std::size_t> order_;  // while being built: where each place's row comes from; empty for "in order"
    std::vector<std::size_t> begins_;
    std::vector<Codes> codes_;
    std::vector<char> has_unknown_;
    std::vector<Count> weights_;
};

}  // namespace savvybayes
