#include "counts.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "counters.h"
#include "pair_planes.h"
#include "pool.h"
#include "scope_planes.h"

namespace savvybayes {
namespace {

// A task counts about so many rows times pairs: a millisecond, so that interrupts are noticed.
constexpr std::size_t kTaskWork = std::size_t{1} << 21;

constexpr std::size_t kMostCells = std::numeric_limits<Cell>::max();

std::size_t product(std::size_t a, std::size_t b) {
    if (b != 0 && a > kMostCells / b) throw std::invalid_argument("a table of more than 2^32 - 1 cells was asked for");
    return a * b;
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

    std::vector<WantedScope> by_planes;

    // Others row by row, neighbouring tables in one task while they are little work.
    struct Part {
        std::size_t scope, cls;
        Count* out;
    };
    std::vector<std::vector<Part>> tasks;
    std::size_t work = kTaskWork;
    for (std::size_t s = 0; s < scopes.size(); ++s) {
        if (scope_suits_planes(block, scopes[s])) {
            by_planes.push_back({&scopes[s], out + begins[s]});
            continue;
        }
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
        for (const Part& part : tasks[t]) count_scope_by_rows(block, scopes[part.scope], part.cls, part.out);
    });
    count_scopes_by_planes(block, by_planes);
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

    // Where no row has a weight, pairs of few values are counted by planes. Others one by one, row by row.
    std::optional<PairsByPlanes> planes;
    if (block.weights().empty()) planes.emplace(block, tile).count(out);

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
            if (!planes || !planes->has(task.i, j))
                count_pair_by_rows(block, task.i, j, task.cls, width, matrix + column_begins[j - tile.columns.begin]);
    });
}

}  // namespace savvybayes
