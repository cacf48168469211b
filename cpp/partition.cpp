#include "partition.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "instructions.h"
#include "pool.h"

namespace savvybayes {
namespace {

// Compressing goes over a tile once for each class, gathering once for all.
constexpr std::size_t kMostCompressed = 16;

}  // namespace

Compress compress_kernel() {
#if defined(__x86_64__)
    if (instructions() == Instructions::avx512) return compress_avx512;
#endif
    return nullptr;
}

Partition::Partition(std::span<const Class> classes, std::size_t n_classes)
    : classes_(classes),
      n_classes_(n_classes),
      // No more counts than rows, however many classes there are.
      tile_rows_(std::max(kTileRows, n_classes)),
      n_tiles_((classes.size() + tile_rows_ - 1) / tile_rows_),
      begins_(n_classes + 1, 0),
      first_(n_tiles_ * n_classes, 0) {
    parallel(n_tiles_, [&](std::size_t tile) {
        std::size_t* counts = first_.data() + tile * n_classes;
        for (std::size_t row = begin(tile); row < end(tile); ++row) {
            const auto cls = static_cast<std::size_t>(classes[row]);  // what is negative becomes very great
            if (cls >= n_classes)
                throw std::invalid_argument("row " + std::to_string(row) + " has class " +
                                            std::to_string(classes[row]) + " of " + std::to_string(n_classes));
            ++counts[cls];
        }
    });
    std::size_t place = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        begins_[c] = place;
        for (std::size_t tile = 0; tile < n_tiles_; ++tile) {
            const std::size_t rows = first_[tile * n_classes + c];
            first_[tile * n_classes + c] = place;
            place += rows;
        }
    }
    begins_[n_classes] = place;
}

std::size_t Partition::end(std::size_t tile) const { return std::min((tile + 1) * tile_rows_, classes_.size()); }

Partition::Tile Partition::tile(std::size_t number) const {
    const std::span<const Class> own = classes_.subspan(begin(number), end(number) - begin(number));
    std::vector<std::uint32_t> next(n_classes_ + 1, 0);
    for (const Class cls : own) ++next[static_cast<std::size_t>(cls) + 1];

    Tile tile;
    tile.words_ = (own.size() + 63) / 64;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        const std::size_t rows = next[c + 1];
        if (rows > 0)
            tile.runs_.push_back({next[c], next[c] + rows, first_[number * n_classes_ + c], c * tile.words_});
        next[c + 1] += next[c];
    }
    tile.order_.resize(own.size());
    for (std::uint32_t row = 0; row < own.size(); ++row) tile.order_[next[static_cast<std::size_t>(own[row])]++] = row;
    if (compress_kernel() && n_classes_ <= kMostCompressed) {
        tile.masks_.assign(n_classes_ * tile.words_, 0);
        for (std::size_t row = 0; row < own.size(); ++row)
            tile.masks_[static_cast<std::size_t>(own[row]) * tile.words_ + row / 64] |= std::uint64_t{1} << (row % 64);
    }
    return tile;
}

void Partition::Tile::write(const Narrow* codes, Narrow* column) const {
    if (masks_.empty()) return gather(codes, column);
    for (const Run& run : runs_) compress_kernel()(codes, masks_.data() + run.mask, words_, column + run.to);
}

}  // namespace savvybayes
