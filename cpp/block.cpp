#include "block.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "pool.h"

namespace savvybayes {
namespace {

constexpr std::size_t kMostClasses = std::size_t{1} << 24;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

}  // namespace

Block::Block(std::size_t rows, std::vector<std::size_t> sizes, const std::vector<AnyCodeReader>& codes,
             std::optional<std::span<const Class>> classes, std::size_t n_classes,
             std::optional<std::span<const Count>> weights)
    : rows_(rows),
      n_classes_(classes ? n_classes : 0),
      sizes_(std::move(sizes)),
      codes_(sizes_.size()),
      has_unknown_(sizes_.size(), 0) {
    if (codes.size() != sizes_.size()) fail("a block needs one column of codes for each attribute");
    if (classes && (n_classes == 0 || n_classes > kMostClasses)) fail("a block may have 1 to 2^24 classes");
    if (classes && classes->size() != rows) fail("one class is needed for each row");
    if (weights && weights->size() != rows) fail("one weight is needed for each row");
    if (classes)
        partition(*classes);
    else
        begins_ = {0, rows_};
    parallel(codes.size(), [&](std::size_t i) { take_codes(i, codes[i]); });
    if (weights) {
        weights_.resize(rows);
        for (std::size_t place = 0; place < rows; ++place) {
            const Count weight = (*weights)[order_.empty() ? place : order_[place]];
            if (!(weight > 0.0) || std::isinf(weight)) fail("a weight in a block must be positive and finite");
            weights_[place] = weight;
        }
    }
    order_ = {};
}

// A stable counting sort: rows of a class keep their order.
void Block::partition(std::span<const Class> classes) {
    begins_.assign(n_classes_ + 1, 0);
    for (std::size_t row = 0; row < rows_; ++row) {
        if (classes[row] < 0 || static_cast<std::size_t>(classes[row]) >= n_classes_)
            fail("row " + std::to_string(row) + " has class " + std::to_string(classes[row]) + " of " +
                 std::to_string(n_classes_));
        ++begins_[static_cast<std::size_t>(classes[row]) + 1];
    }
    for (std::size_t c = 0; c < n_classes_; ++c) begins_[c + 1] += begins_[c];
    if (std::is_sorted(classes.begin(), classes.end())) return;
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    order_.resize(rows_);
    for (std::size_t row = 0; row < rows_; ++row) order_[next[static_cast<std::size_t>(classes[row])]++] = row;
}

void Block::take_codes(std::size_t attribute, const AnyCodeReader& any) {
    const std::size_t size = sizes_[attribute];
    const auto name = [&] { return "attribute " + std::to_string(attribute); };
    if (size == 0 || size > std::numeric_limits<Wide>::max())
        fail(name() + " has " + std::to_string(size) + " values: 1 to 65535 can be coded");
    std::visit(
        [&](const auto& reader) {
            using Code = typename std::remove_cvref_t<decltype(reader)>::Value;
            const bool narrow = size <= std::numeric_limits<Narrow>::max();
            if (narrow != std::is_same_v<Code, Narrow>)
                fail(name() + " has " + std::to_string(size) + " values: its codes must be " +
                     (narrow ? "uint8" : "uint16"));
            std::vector<Code> taken(rows_);
            Code greatest = 0;
            for (std::size_t place = 0; place < rows_; ++place) {
                const Code code = reader[order_.empty() ? place : order_[place]];
                greatest = std::max(greatest, code);
                taken[place] = code;
            }
            if (greatest > size)
                fail(name() + " has " + std::to_string(size) + " values and a code of " + std::to_string(greatest));
            has_unknown_[attribute] = greatest == size;
            codes_[attribute] = std::move(taken);
        },
        any);
}

void Block::require_countable(std::span<const std::size_t> attributes) const {
    if (n_classes_ == 0) fail("counts need a block whose classes are known");
    for (const std::size_t attribute : attributes) {
        if (attribute >= n_attributes())
            fail("attribute " + std::to_string(attribute) + " of " + std::to_string(n_attributes()));
        if (has_unknown_[attribute])
            fail("attribute " + std::to_string(attribute) + " has unknown values, which cannot be counted");
    }
}

}  // namespace savvybayes
