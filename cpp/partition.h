// Rows sorted by class, tile by tile: the rows of a class side by side, in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "types.h"

namespace savvybayes {

// Rows that are worked on together: the codes of an attribute in them stay in the first-level cache.
constexpr std::size_t kTileRows = 4096;

// Where the rows of every class go. Tiles are independent of each other, so that threads can share them.
class Partition {
  public:
    // Throws std::invalid_argument where a class is none of 0..n_classes - 1. Tiles that will write bytes alone need to
    // know less than others.
    Partition(std::span<const Class> classes, std::size_t n_classes, bool bytes_alone);

    // The rows of class c go to [begins()[c], begins()[c + 1]).
    const std::vector<std::size_t>& begins() const { return begins_; }

    std::size_t n_tiles() const { return n_tiles_; }
    std::size_t begin(std::size_t tile) const { return tile * tile_rows_; }
    std::size_t end(std::size_t tile) const;

    // The rows of one tile by class.
    class Tile {
      public:
        // Writes the codes of the tile's rows, which begin at `codes`, to where they belong in a whole column.
        void write(const Narrow* codes, Narrow* column) const;
        void write(const Wide* codes, Wide* column) const { gather(codes, column); }
        void write(const Count* weights, Count* column) const { gather(weights, column); }

      private:
        friend class Partition;

        // Rows of one class: order_[begin, end), and where they go.
        struct Run {
            std::size_t cls, begin, end, to;
        };

        template <typename T>
        void gather(const T* values, T* column) const {
            for (const Run& run : runs_)
                for (std::size_t i = run.begin; i < run.end; ++i) column[run.to + i - run.begin] = values[order_[i]];
        }

        std::vector<Run> runs_;
        std::vector<std::uint32_t> order_;   // empty where the masks suffice
        std::vector<std::uint64_t> masks_;  // for each class a bit for each row; empty where there is no kernel for them
        std::size_t words_ = 0;
    };

    Tile tile(std::size_t number) const;

  private:
    std::span<const Class> classes_;
    std::size_t n_classes_, tile_rows_, n_tiles_;
    bool masks_, order_;  // what tiles need
    std::vector<std::size_t> begins_;
    std::vector<std::size_t> first_;  // where the rows of each tile and class go, and last where all end
};

struct PartitionKernels {
    // For each class and each of `rows` rows whether it has that class: a bit each, in `words` words a class.
    void (*mask)(const Class* classes, std::size_t rows, std::size_t n_classes, std::size_t words, std::uint64_t* masks);

    // Writes, side by side, the codes whose bit is set. Reads whole words of codes.
    void (*compress)(const Narrow* codes, const std::uint64_t* mask, std::size_t words, Narrow* out);
};

#if defined(__x86_64__)
extern const PartitionKernels kAvx512Partition;
#endif

// Null where this machine has no instruction for it: then rows are gathered by their order.
const PartitionKernels* partition_kernels();

}  // namespace savvybayes
