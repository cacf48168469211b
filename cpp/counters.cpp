#include "counters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "pool.h"

namespace savvybayes {
namespace {

// Rows whose cells are worked out before they are counted: they stay in the first-level cache.
constexpr std::size_t kTile = 4096;

// Rows that are counted in integers before these are added to the table: some milliseconds of work.
constexpr std::size_t kRun = std::size_t{1} << 21;

// Counters side by side for small tables: rows that fall into one cell would wait for each other.
constexpr std::size_t kReplicas = 4;
constexpr std::size_t kSmallTable = 1024;

// Fewer rows than that are sooner added to the table than to counters that have to be made.
constexpr std::size_t kFewRows = 64;

constexpr std::size_t kMostCells = std::numeric_limits<Cell>::max();

// A table that is counted into: rows of `columns` cells that are `width` apart, or one such row.
struct Target {
    Count* out;
    std::size_t cells, columns, width;
};

// Counters of the cells of a table in a run of rows, several for each where the table is small.
class Counters {
  public:
    explicit Counters(std::size_t cells) : cells_(cells), counters_(cells <= kSmallTable ? kReplicas * cells : cells, 0) {}

    template <typename Index>
    void add(std::span<const Index> cells) {
        std::uint32_t* const counters = counters_.data();
        std::size_t i = 0;
        if (cells_ <= kSmallTable)
            for (; i + kReplicas <= cells.size(); i += kReplicas)
                for (std::size_t k = 0; k < kReplicas; ++k) ++counters[k * cells_ + cells[i + k]];
        for (; i < cells.size(); ++i) ++counters[cells[i]];
    }

    void add_to(const Target& target) const {
        Count* row = target.out;
        for (std::size_t cell = 0; cell < cells_; row += target.width)
            for (std::size_t v = 0; v < target.columns; ++v, ++cell)
                for (std::size_t at = cell; at < counters_.size(); at += cells_) row[v] += counters_[at];
    }

  private:
    std::size_t cells_;
    std::vector<std::uint32_t> counters_;
};

// Calls take(begin, end) for the rows of a class, a tile after the other, and finish() after every run of tiles.
template <typename Take, typename Finish>
void for_each_tile(const Block& block, std::size_t cls, const Take& take, const Finish& finish) {
    const std::size_t last = block.begins()[cls + 1];
    for (std::size_t first = block.begins()[cls]; first < last; first += kRun) {
        checkpoint();
        const std::size_t stop = std::min(first + kRun, last);
        for (std::size_t begin = first; begin < stop; begin += kTile) take(begin, std::min(begin + kTile, stop));
        finish();
    }
}

// Counts in integers first, and adds these to the table.
template <typename Index, typename CellsIn>
void count_in_integers(const Block& block, std::size_t cls, const Target& target, const CellsIn& cells_in) {
    std::array<Index, kTile> cell;
    Counters counters(target.cells);
    for_each_tile(
        block, cls,
        [&](std::size_t begin, std::size_t end) {
            cells_in(begin, end, target.columns, cell.data());
            counters.add(std::span<const Index>(cell.data(), end - begin));
        },
        [&] {
            counters.add_to(target);
            counters = Counters(target.cells);
        });
}

// Adds to the table itself: weights, or a table of more cells than there are rows.
template <typename CellsIn>
void count_in_place(const Block& block, std::size_t cls, const Target& target, const CellsIn& cells_in) {
    std::array<Cell, kTile> place;
    for_each_tile(
        block, cls,
        [&](std::size_t begin, std::size_t end) {
            cells_in(begin, end, target.width, place.data());
            if (block.weights().empty())
                for (std::size_t i = 0; i < end - begin; ++i) target.out[place[i]] += 1.0;
            else
                for (std::size_t i = 0; i < end - begin; ++i) target.out[place[i]] += block.weights()[begin + i];
        },
        [] {});
}

// cells_in(begin, end, width, cells) works out the cells of rows, where a row of the table has `width` of them. A type
// that is just wide enough for them lets more rows be worked out at once.
template <typename CellsIn>
void count_rows(const Block& block, std::size_t cls, const Target& target, const CellsIn& cells_in) {
    const std::size_t rows = block.begins()[cls + 1] - block.begins()[cls];
    if (!block.weights().empty() || rows < kFewRows || target.cells > std::max(rows, kSmallTable))
        count_in_place(block, cls, target, cells_in);
    else if (target.cells <= std::size_t{1} << 16)
        count_in_integers<std::uint16_t>(block, cls, target, cells_in);
    else
        count_in_integers<Cell>(block, cls, target, cells_in);
}

}  // namespace

std::size_t cells_of(const Block& block, const Scope& scope) {
    std::size_t cells = 1;
    for (const std::size_t attribute : scope.attributes) {
        if (cells > kMostCells / block.sizes()[attribute])
            throw std::invalid_argument("a table of more than 2^32 - 1 cells was asked for");
        cells *= block.sizes()[attribute];
    }
    return cells;
}

void count_scope_by_rows(const Block& block, const Scope& scope, std::size_t cls, Count* out) {
    const std::size_t cells = cells_of(block, scope);
    count_rows(block, cls, {out, cells, cells, cells}, [&](std::size_t begin, std::size_t end, std::size_t, auto* cell) {
        using Index = std::remove_pointer_t<decltype(cell)>;
        std::fill_n(cell, end - begin, Index{0});
        for (const std::size_t attribute : scope.attributes) {
            const auto size = static_cast<Index>(block.sizes()[attribute]);
            std::visit(
                [&](const auto codes) {
                    for (std::size_t i = 0; i < end - begin; ++i)
                        cell[i] = static_cast<Index>(cell[i] * size + codes[begin + i]);
                },
                block.codes(attribute));
        }
    });
}

void count_pair_by_rows(const Block& block, std::size_t i, std::size_t j, std::size_t cls, std::size_t width,
                        Count* out) {
    const Target target{out, cells_of(block, {{i, j}}), block.sizes()[j], width};
    std::visit(
        [&](const auto left, const auto right) {
            count_rows(block, cls, target,
                       [&](std::size_t begin, std::size_t end, std::size_t columns, auto* cell) {
                           using Index = std::remove_pointer_t<decltype(cell)>;
                           const auto size = static_cast<Index>(columns);
                           for (std::size_t row = begin; row < end; ++row)
                               cell[row - begin] = static_cast<Index>(left[row] * size + right[row]);
                       });
        },
        block.codes(i), block.codes(j));
}

}  // namespace savvybayes
