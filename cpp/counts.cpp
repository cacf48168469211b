#include "counts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "gram.h"
#include "planes.h"
#include "pool.h"

namespace savvybayes {
namespace {

// Rows whose cells are worked out before they are counted: they stay in the first-level cache.
constexpr std::size_t kTile = 4096;

// A task counts about so many rows times pairs: a millisecond, so that interrupts are noticed.
constexpr std::size_t kTaskWork = std::size_t{1} << 21;

// Small tables are counted in integers, side by side: rows that fall into one cell would wait for each other.
constexpr std::size_t kReplicas = 4;
constexpr std::size_t kSmallTable = 1024;

constexpr std::size_t kMostCells = std::numeric_limits<Cell>::max();

std::size_t product(std::size_t a, std::size_t b) {
    if (b != 0 && a > kMostCells / b) throw std::invalid_argument("a table of more than 2^32 - 1 cells was asked for");
    return a * b;
}

// Calls add(cell, weight) for each row, or counts into small replicas where every weight is 1 and the table is small.
template <typename CellOf, typename Add>
void count_rows(const Block& block, std::size_t begin, std::size_t end, std::size_t cells, const CellOf& cell_of,
                const Add& add) {
    if (!block.weights().empty()) {
        const Count* weights = block.weights().data();
        for (std::size_t row = begin; row < end; ++row) add(cell_of(row), weights[row]);
    } else if (cells > kSmallTable) {
        for (std::size_t row = begin; row < end; ++row) add(cell_of(row), 1.0);
    } else {
        std::array<std::uint32_t, kReplicas * kSmallTable> counts;
        std::fill_n(counts.begin(), kReplicas * cells, 0u);
        std::size_t row = begin;
        for (; row + kReplicas <= end; row += kReplicas)
            for (std::size_t k = 0; k < kReplicas; ++k) ++counts[k * cells + cell_of(row + k)];
        for (; row < end; ++row) ++counts[cell_of(row)];
        for (std::size_t cell = 0; cell < cells; ++cell) {
            std::uint32_t total = 0;
            for (std::size_t k = 0; k < kReplicas; ++k) total += counts[k * cells + cell];
            if (total) add(cell, static_cast<Count>(total));
        }
    }
}

std::size_t cells_of(const Block& block, const Scope& scope) {
    std::size_t cells = 1;
    for (const std::size_t attribute : scope.attributes) cells = product(cells, block.sizes()[attribute]);
    return cells;
}

void count_scope(const Block& block, const Scope& scope, std::size_t cls, Count* out) {
    const std::size_t cells = cells_of(block, scope);
    std::array<Cell, kTile> cell;
    for (std::size_t begin = block.begins()[cls]; begin < block.begins()[cls + 1]; begin += kTile) {
        if (begin % kTaskWork < kTile) checkpoint();
        const std::size_t end = std::min(begin + kTile, block.begins()[cls + 1]);
        std::fill_n(cell.begin(), end - begin, Cell{0});
        for (const std::size_t attribute : scope.attributes) {
            const auto size = static_cast<Cell>(block.sizes()[attribute]);
            std::visit(
                [&](const auto& codes) {
                    for (std::size_t row = begin; row < end; ++row)
                        cell[row - begin] = cell[row - begin] * size + codes[row];
                },
                block.codes(attribute));
        }
        count_rows(
            block, begin, end, cells, [&](std::size_t row) { return std::size_t{cell[row - begin]}; },
            [&](std::size_t at, Count weight) { out[at] += weight; });
    }
}

// Counts one pair of attributes in one class into the submatrix that begins at `out`.
void count_pair(const Block& block, std::size_t i, std::size_t j, std::size_t cls, std::size_t width, Count* out) {
    const std::size_t size = block.sizes()[j];
    const std::size_t cells = block.sizes()[i] * size;
    std::visit(
        [&](const auto& left, const auto& right) {
            const auto cell_of = [&](std::size_t row) { return left[row] * size + right[row]; };
            const auto add = [&](std::size_t at, Count weight) { out[at / size * width + at % size] += weight; };
            for (std::size_t begin = block.begins()[cls]; begin < block.begins()[cls + 1]; begin += kTaskWork) {
                count_rows(block, begin, std::min(begin + kTaskWork, block.begins()[cls + 1]), cells, cell_of, add);
                checkpoint();
            }
        },
        block.codes(i), block.codes(j));
}

// Where the values of each attribute of a range begin, side by side, and last where they end.
std::vector<std::size_t> value_begins(const Block& block, Range range) {
    std::vector<std::size_t> begins(range.length() + 1, 0);
    for (std::size_t i = 0; i < range.length(); ++i) begins[i + 1] = begins[i] + block.sizes()[range.begin + i];
    return begins;
}

std::vector<std::size_t> attributes_of(Range range) {
    std::vector<std::size_t> attributes(range.length());
    std::iota(attributes.begin(), attributes.end(), range.begin);
    return attributes;
}

}  // namespace

std::vector<std::size_t> table_begins(const Block& block, std::span<const Scope> scopes) {
    std::vector<std::size_t> begins{0};
    for (const Scope& scope : scopes) {
        block.require_countable(scope.attributes);
        if (scope.label != Scope::kEveryClass &&
            (scope.label < 0 || static_cast<std::size_t>(scope.label) >= block.n_classes()))
            throw std::invalid_argument("a scope of class " + std::to_string(scope.label) + " of " +
                                        std::to_string(block.n_classes()));
        const std::size_t columns = scope.label == Scope::kEveryClass ? block.n_classes() : 1;
        begins.push_back(begins.back() + product(cells_of(block, scope), columns));
    }
    return begins;
}

void count_scopes(const Block& block, std::span<const Scope> scopes, Count* out) {
    const std::vector<std::size_t> begins = table_begins(block, scopes);

    // Neighbouring tables go into one task while they are little work.
    struct Part {
        std::size_t scope, cls;
        Count* out;
    };
    std::vector<std::vector<Part>> tasks;
    std::size_t work = kTaskWork;
    for (std::size_t s = 0; s < scopes.size(); ++s) {
        const bool every = scopes[s].label == Scope::kEveryClass;
        const std::size_t cells = cells_of(block, scopes[s]);
        const std::size_t first = every ? 0 : static_cast<std::size_t>(scopes[s].label);
        const std::size_t last = every ? block.n_classes() : first + 1;
        for (std::size_t c = first; c < last; ++c) {
            if (work >= kTaskWork) {
                tasks.emplace_back();
                work = 0;
            }
            tasks.back().push_back({s, c, out + begins[s] + (c - first) * cells});
            work += (block.begins()[c + 1] - block.begins()[c]) * (scopes[s].attributes.size() + 1) + 64;
        }
    }
    parallel(tasks.size(), [&](std::size_t t) {
        for (const Part& part : tasks[t]) count_scope(block, scopes[part.scope], part.cls, part.out);
    });
}

std::size_t tile_size(const Block& block, const PairTile& tile) {
    for (const Range& range : {tile.rows, tile.columns})
        if (range.begin > range.end || range.end > block.n_attributes())
            throw std::invalid_argument("a tile of attributes that the block does not have");
    if (tile.classes.begin > tile.classes.end || tile.classes.end > block.n_classes())
        throw std::invalid_argument("a tile of classes that the block does not have");
    block.require_countable(attributes_of(tile.rows));
    block.require_countable(attributes_of(tile.columns));
    return product(product(value_begins(block, tile.rows).back(), value_begins(block, tile.columns).back()),
                   tile.classes.length());
}

void count_pairs(const Block& block, const PairTile& tile, Count* out) {
    static_cast<void>(tile_size(block, tile));
    const std::vector<std::size_t> row_begins = value_begins(block, tile.rows);
    const std::vector<std::size_t> column_begins = value_begins(block, tile.columns);
    const std::size_t width = column_begins.back();
    const std::size_t area = row_begins.back() * width;

    // Attributes of few values are counted by planes, if no row has a weight; pairs with others one by one.
    const std::size_t few = block.weights().empty() ? gram_kernels().most_values : 0;
    count_by_planes(block, tile, few, out);

    // A task: one attribute of the rows with some of the columns, in one class.
    struct Task {
        std::size_t i, cls;
        Range columns;
    };
    std::vector<Task> tasks;
    for (std::size_t c = tile.classes.begin; c < tile.classes.end; ++c) {
        const std::size_t rows = block.begins()[c + 1] - block.begins()[c];
        if (rows == 0) continue;
        const std::size_t step = kTaskWork / (rows + 64) + 1;
        for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i)
            for (std::size_t j = std::max(i + 1, tile.columns.begin); j < tile.columns.end; j += step)
                tasks.push_back({i, c, {j, std::min(j + step, tile.columns.end)}});
    }
    parallel(tasks.size(), [&](std::size_t t) {
        const Task& task = tasks[t];
        Count* matrix = out + (task.cls - tile.classes.begin) * area + row_begins[task.i - tile.rows.begin] * width;
        for (std::size_t j = task.columns.begin; j < task.columns.end; ++j)
            if (std::max(block.sizes()[task.i], block.sizes()[j]) > few)
                count_pair(block, task.i, j, task.cls, width, matrix + column_begins[j - tile.columns.begin]);
    });
}

}  // namespace savvybayes
