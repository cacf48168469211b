#include "partition.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "instructions.h"
#include "pool.h"

namespace savvybayes {
namespace {

// Compressing goes over a tile once for each class, gathering once for all.
constexpr std::size_t kMostCompressed = 16;

}  // namespace

const PartitionKernels* partition_kernels() {
#if defined(__x86_64__)
    if (instructions() == Instructions::avx512) return &kAvx512Partition;
#endif
    return nullptr;
}

Partition::Partition(std::span<const Class> classes, std::size_t n_classes, bool bytes_alone)
    : classes_(classes),
      n_classes_(n_classes),
      // No more counts than rows, however many classes there are.
      tile_rows_(std::max(kTileRows, n_classes)),
      n_tiles_((classes.size() + tile_rows_ - 1) / tile_rows_),
      masks_(partition_kernels() && n_classes <= kMostCompressed),
      order_(!masks_ || !bytes_alone),
      begins_(n_classes + 1, 0),
      first_((n_tiles_ + 1) * n_classes, 0) {
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
        first_[n_tiles_ * n_classes + c] = place;
    }
    begins_[n_classes] = place;
}

std::size_t Partition::end(std::size_t tile) const { return std::min((tile + 1) * tile_rows_, classes_.size()); }

Partition::Tile Partition::tile(std::size_t number) const {
    const std::span<const Class> own = classes_.subspan(begin(number), end(number) - begin(number));
    const std::size_t* first = first_.data() + number * n_classes_;
    const std::size_t* next = first + n_classes_;
    Tile tile;
    tile.words_ = (own.size() + 63) / 64;
    std::vector<std::size_t> begins(n_classes_);
    for (std::size_t c = 0, place = 0; c < n_classes_; place += next[c] - first[c], ++c) {
        begins[c] = place;
        if (next[c] > first[c]) tile.runs_.push_back({c, place, place + next[c] - first[c], first[c]});
    }
    if (order_) {
        tile.order_.resize(own.size());
        for (std::uint32_t row = 0; row < own.size(); ++row)
            tile.order_[begins[static_cast<std::size_t>(own[row])]++] = row;
    }
    if (masks_) {
        tile.masks_.assign(n_classes_ * tile.words_, 0);
        partition_kernels()->mask(own.data(), own.size(), n_classes_, tile.words_, tile.masks_.data());
    }
    return tile;
}

void Partition::Tile::write(const Narrow* codes, Narrow* column) const {
    if (masks_.empty()) return gather(codes, column);
    for (const Run& run : runs_)
        partition_kernels()->compress(codes, masks_.data() + run.cls * words_, words_, column + run.to);
}

}  // namespace savvybayes
