#include "block.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "partition.h"
#include "pool.h"

namespace savvybayes {
namespace {

constexpr std::size_t kMostClasses = std::size_t{1} << 24;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

std::string name_of(std::size_t attribute, std::size_t size) {
    return "attribute " + std::to_string(attribute) + " has " + std::to_string(size) + " values";
}

// Where each attribute's codes begin in one piece of memory, and last where they end.
std::vector<std::size_t> lay_out(std::size_t rows, const std::vector<std::size_t>& sizes,
                                 const std::vector<AnyWriteCodes>& codes) {
    std::vector<std::size_t> places{0};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 0 || sizes[i] > std::numeric_limits<Wide>::max())
            fail(name_of(i, sizes[i]) + ": 1 to 65535 can be coded");
        const bool narrow = sizes[i] <= std::numeric_limits<Narrow>::max();
        if (narrow != std::holds_alternative<WriteCodes<Narrow>>(codes[i]))
            fail(name_of(i, sizes[i]) + ": its codes must be " + (narrow ? "uint8" : "uint16"));
        if (rows > std::numeric_limits<std::size_t>::max() / 8 / sizes.size()) throw std::bad_alloc();
        places.push_back((places.back() + rows * (narrow ? 1 : 2) + kAlignment - 1) / kAlignment * kAlignment);
    }
    return places;
}

Count checked_weight(Count weight) {
    if (!(weight > 0.0) || std::isinf(weight)) fail("a weight in a block must be positive and finite");
    return weight;
}

}  // namespace

Block::Block(std::size_t rows, std::vector<std::size_t> sizes, const std::vector<AnyWriteCodes>& codes,
             std::optional<std::span<const Class>> classes, std::size_t n_classes,
             std::optional<std::span<const Count>> weights)
    : rows_(rows),
      n_classes_(classes ? n_classes : 0),
      sizes_(std::move(sizes)),
      has_unknown_(sizes_.size(), 0) {
    if (codes.size() != sizes_.size()) fail("a block needs one column of codes for each attribute");
    if (classes && (n_classes == 0 || n_classes > kMostClasses)) fail("a block may have 1 to 2^24 classes");
    if (classes && classes->size() != rows) fail("one class is needed for each row");
    if (weights && weights->size() != rows) fail("one weight is needed for each row");
    places_ = lay_out(rows, sizes_, codes);
    memory_ = Buffer<std::byte>(places_.back());
    take(codes, classes, weights);
}

// A tile of rows at a time: the codes of an attribute are worked out in the cache, checked there, and written where
// they belong.
void Block::take(const std::vector<AnyWriteCodes>& codes, std::optional<std::span<const Class>> classes,
                 std::optional<std::span<const Count>> weights) {
    std::optional<Partition> partition;
    bool bytes_alone = !weights;
    for (std::size_t i = 0; i < codes.size(); ++i) bytes_alone &= is_narrow(i);
    if (classes) partition.emplace(*classes, n_classes_, bytes_alone);
    begins_ = partition ? partition->begins() : std::vector<std::size_t>{0, rows_};
    if (weights) weights_.resize(rows_);
    if (codes.empty() && !weights) return;

    const std::size_t n_tiles = partition ? partition->n_tiles() : (rows_ + kTileRows - 1) / kTileRows;
    std::vector<char> unknown(n_tiles * codes.size(), 0);
    parallel(n_tiles, [&](std::size_t number) {
        const std::size_t begin = partition ? partition->begin(number) : number * kTileRows;
        const std::size_t end = partition ? partition->end(number) : std::min(begin + kTileRows, rows_);
        std::optional<Partition::Tile> tile;
        if (partition) tile = partition->tile(number);
        Buffer<Wide> own(partition ? end - begin : 0);
        const auto take_column = [&](std::size_t attribute, const auto& write, auto* column) {
            using Code = std::remove_pointer_t<decltype(column)>;
            Code* const out = partition ? reinterpret_cast<Code*>(own.data()) : column + begin;
            write(begin, end, out);
            Code greatest = 0;
            for (std::size_t i = 0; i < end - begin; ++i) greatest = std::max(greatest, out[i]);
            if (greatest > sizes_[attribute])
                fail(name_of(attribute, sizes_[attribute]) + " and a code of " + std::to_string(greatest));
            unknown[number * codes.size() + attribute] = greatest == sizes_[attribute];
            if (tile) tile->write(out, column);
        };
        for (std::size_t i = 0; i < codes.size(); ++i) {
            std::byte* column = memory_.data() + places_[i];
            if (is_narrow(i))
                take_column(i, std::get<WriteCodes<Narrow>>(codes[i]), reinterpret_cast<Narrow*>(column));
            else
                take_column(i, std::get<WriteCodes<Wide>>(codes[i]), reinterpret_cast<Wide*>(column));
        }
        if (weights) {
            for (std::size_t row = begin; row < end; ++row) checked_weight((*weights)[row]);
            if (tile)
                tile->write(weights->data() + begin, weights_.data());
            else
                std::copy(weights->begin() + static_cast<std::ptrdiff_t>(begin),
                          weights->begin() + static_cast<std::ptrdiff_t>(end),
                          weights_.begin() + static_cast<std::ptrdiff_t>(begin));
        }
    });
    for (std::size_t k = 0; k < unknown.size(); ++k)
        if (unknown[k]) has_unknown_[k % codes.size()] = 1;
}

bool Block::is_narrow(std::size_t attribute) const { return sizes_[attribute] <= std::numeric_limits<Narrow>::max(); }

Block::Codes Block::codes(std::size_t attribute) const {
    const std::byte* column = memory_.data() + places_[attribute];
    if (is_narrow(attribute)) return std::span(reinterpret_cast<const Narrow*>(column), rows_);
    return std::span(reinterpret_cast<const Wide*>(column), rows_);
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
