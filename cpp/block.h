// Coded rows: what every count and every score is made from.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "memory.h"
#include "types.h"

namespace savvybayes {

// Writes the codes of the rows [begin, end) of an attribute to out[0], ..., out[end - begin - 1].
template <typename Code>
using WriteCodes = std::function<void(std::size_t begin, std::size_t end, Code* out)>;
using AnyWriteCodes = std::variant<WriteCodes<Narrow>, WriteCodes<Wide>>;

// Column-major codes, the rows of a class side by side, in their order: the class leaves every index.
//
// Everything is checked here, once: an attribute of r seen values has the codes 0..r-1, and r for "unknown".
class Block {
  public:
    using Codes = std::variant<std::span<const Narrow>, std::span<const Wide>>;

    // Without `classes` they are not known: then there is one part, and n_classes is 0. Without `weights` all are 1.
    // Throws std::invalid_argument. `codes` are asked for a tile of rows at a time, by several threads.
    Block(std::size_t rows, std::vector<std::size_t> sizes, const std::vector<AnyWriteCodes>& codes,
          std::optional<std::span<const Class>> classes, std::size_t n_classes,
          std::optional<std::span<const Count>> weights);

    std::size_t rows() const { return rows_; }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_attributes() const { return sizes_.size(); }
    const std::vector<std::size_t>& sizes() const { return sizes_; }

    // Behind the last code a whole vector may be read.
    Codes codes(std::size_t attribute) const;

    // The rows of class c are [begins()[c], begins()[c + 1]).
    const std::vector<std::size_t>& begins() const { return begins_; }

    // Empty where all are 1.
    const std::vector<Count>& weights() const { return weights_; }

    // Throws std::invalid_argument unless the classes are known and no code of these attributes is "unknown".
    void require_countable(std::span<const std::size_t> attributes) const;

  private:
    bool is_narrow(std::size_t attribute) const;
    void take(const std::vector<AnyWriteCodes>& codes, std::optional<std::span<const Class>> classes,
              std::optional<std::span<const Count>> weights);

    std::size_t rows_;
    std::size_t n_classes_;
    std::vector<std::size_t> sizes_;
    std::vector<std::size_t> begins_;
    std::vector<std::size_t> places_;  // where the codes of each attribute begin in the memory
    Buffer<std::byte> memory_;
    std::vector<char> has_unknown_;
    std::vector<Count> weights_;
};

}  // namespace savvybayes
