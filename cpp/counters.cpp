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

constexpr std::size_t kMostCells = std::numeric_limits<Cell>::max();

// Counters of the cells of a table in a run of rows.
class Counters {
  public:
    // Weights, and tables of more cells than rows, are counted in place.
    Counters(std::size_t cells, std::size_t rows, bool weighted)
        : cells_(cells), in_place_(weighted || cells > std::max<std::size_t>(rows, kSmallTable)) {
        if (!in_place_) counters_.assign(cells <= kSmallTable ? kReplicas * cells : cells, 0);
    }

    bool in_place() const { return in_place_; }

    template <typename Index>
    void add(std::span<const Index> cells) {
        std::uint32_t* const counters = counters_.data();
        std::size_t i = 0;
        if (cells_ <= kSmallTable)
            for (; i + kReplicas <= cells.size(); i += kReplicas)
                for (std::size_t k = 0; k < kReplicas; ++k) ++counters[k * cells_ + cells[i + k]];
        for (; i < cells.size(); ++i) ++counters[cells[i]];
    }

    // Calls add(cell, count) for each cell with rows.
    template <typename Add>
    void flush(const Add& add) const {
        if (in_place_) return;
        for (std::size_t cell = 0; cell < cells_; ++cell) {
            std::uint32_t total = 0;
            for (std::size_t at = cell; at < counters_.size(); at += cells_) total += counters_[at];
            if (total) add(cell, static_cast<Count>(total));
        }
    }

  private:
    std::size_t cells_;
    bool in_place_;
    std::vector<std::uint32_t> counters_;
};

// Counts the rows of a class: cells_in(begin, end, cells) works out their cells, as numbers of the type Index, and
// add(cell, weight) adds to the table.
template <typename Index, typename CellsIn, typename Add>
void count_rows(const Block& block, std::size_t cls, std::size_t cells, const CellsIn& cells_in, const Add& add) {
    std::array<Index, kTile> cell;
    const std::size_t last = block.begins()[cls + 1];
    for (std::size_t first = block.begins()[cls]; first < last; first += kRun) {
        checkpoint();
        const std::size_t stop = std::min(first + kRun, last);
        Counters counters(cells, stop - first, !block.weights().empty());
        for (std::size_t begin = first; begin < stop; begin += kTile) {
            const std::size_t end = std::min(begin + kTile, stop);
            cells_in(begin, end, cell.data());
            if (!counters.in_place())
                counters.add(std::span<const Index>(cell.data(), end - begin));
            else if (block.weights().empty())
                for (std::size_t i = 0; i < end - begin; ++i) add(cell[i], 1.0);
            else
                for (std::size_t i = 0; i < end - begin; ++i) add(cell[i], block.weights()[begin + i]);
        }
        counters.flush(add);
    }
}

// A type that is just wide enough for the cells lets more rows be worked out at once.
template <typename CellsIn, typename Add>
void count_cells(const Block& block, std::size_t cls, std::size_t cells, const CellsIn& cells_in, const Add& add) {
    if (cells <= std::size_t{1} << 16)
        count_rows<std::uint16_t>(block, cls, cells, cells_in, add);
    else
        count_rows<Cell>(block, cls, cells, cells_in, add);
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
    const auto cells_in = [&](std::size_t begin, std::size_t end, auto* cell) {
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
    };
    count_cells(block, cls, cells_of(block, scope), cells_in, [&](std::size_t at, Count weight) { out[at] += weight; });
}

void count_pair_by_rows(const Block& block, std::size_t i, std::size_t j, std::size_t cls, std::size_t width,
                        Count* out) {
    const std::size_t columns = block.sizes()[j];
    std::visit(
        [&](const auto left, const auto right) {
            const auto cells_in = [&](std::size_t begin, std::size_t end, auto* cell) {
                using Index = std::remove_pointer_t<decltype(cell)>;
                const auto size = static_cast<Index>(columns);
                for (std::size_t row = begin; row < end; ++row)
                    cell[row - begin] = static_cast<Index>(left[row] * size + right[row]);
            };
            const auto add = [&](std::size_t at, Count weight) { out[at / columns * width + at % columns] += weight; };
            count_cells(block, cls, cells_of(block, {{i, j}}), cells_in, add);
        },
        block.codes(i), block.codes(j));
}

}  // namespace savvybayes
