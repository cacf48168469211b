// Counts of all pairs of attributes by bit-planes: a Gram matrix of planes.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "block.h"
#include "counts.h"
#include "planes.h"

namespace savvybayes {

// Which pairs of a tile are counted by planes: those for which that costs less than counting them row by row, and whose
// attributes have partners enough for their planes to be worth making.
class PairsByPlanes {
  public:
    PairsByPlanes(const Block& block, const PairTile& tile);

    bool has(std::size_t i, std::size_t j) const { return chosen_[i] && chosen_[j] && suits(sizes_[i], sizes_[j]); }

    // Adds to `out`, the answer for the tile, the tables of these pairs. Weights are not looked at.
    void count(Count* out) const;

  private:
    // The same of the sizes of two attributes alone.
    bool suits(std::size_t size, std::size_t other) const { return planes(size) * planes(other) <= most_; }
    static std::size_t planes(std::size_t size) { return size > 2 ? size - 1 : 1; }

    std::vector<std::size_t> chosen_in(Range rows, Range columns) const;
    struct Side;
    struct Meeting;
    std::vector<Meeting> meetings(const Side& left, const Side& right) const;
    void count_part(const PlaneTask& task, std::mutex& mutex, Count* out) const;

    const Block& block_;
    PairTile tile_;
    const std::vector<std::size_t>& sizes_;
    std::size_t most_;
    std::vector<char> chosen_;
};

}  // namespace savvybayes
