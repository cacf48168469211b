#include "score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pool.h"

namespace savvybayes {
namespace {

// Rows that are scored together: their cells and a good part of their scores stay in the first-level cache.
constexpr std::size_t kTile = 512;

void check(const Block& block, const LogTable& table, std::size_t n_classes) {
    std::size_t entries = 1;
    for (const std::size_t attribute : table.scope.attributes) {
        if (attribute >= block.n_attributes()) throw std::invalid_argument("a table over an attribute that is not there");
        entries *= block.sizes()[attribute] + 1;
        if (entries > table.entries.size()) break;
    }
    if (table.scope.label == Scope::kEveryClass)
        entries *= n_classes;
    else if (table.scope.label < 0 || static_cast<std::size_t>(table.scope.label) >= n_classes)
        throw std::invalid_argument("a table of a class that is not there");
    if (entries > std::numeric_limits<Cell>::max() || entries != table.entries.size()) throw std::invalid_argument("a table of another size than its attributes say");
}

// Adds to the scores of each row the entries of its cell. A number of classes that the compiler knows makes it one load.
template <std::size_t kClasses>
void add_entries(std::span<const Cell> cells, const double* entries, std::size_t n_classes, double* out) {
    const std::size_t n = kClasses ? kClasses : n_classes;
    for (std::size_t row = 0; row < cells.size(); ++row)
        for (std::size_t c = 0; c < n; ++c) out[row * n + c] += entries[cells[row] * n + c];
}

void add_table(const Block& block, const LogTable& table, std::size_t begin, std::size_t end, std::size_t n_classes,
               double* out) {
    std::array<Cell, kTile> cell{};
    for (const std::size_t attribute : table.scope.attributes) {
        const auto size = static_cast<Cell>(block.sizes()[attribute] + 1);
        std::visit(
            [&](const auto& codes) {
                for (std::size_t row = begin; row < end; ++row) cell[row - begin] = cell[row - begin] * size + codes[row];
            },
            block.codes(attribute));
    }
    const double* entries = table.entries.data();
    if (table.scope.label == Scope::kEveryClass) {
        const std::span<const Cell> cells(cell.data(), end - begin);
        switch (n_classes) {
            case 2: return add_entries<2>(cells, entries, n_classes, out);
            case 3: return add_entries<3>(cells, entries, n_classes, out);
            case 4: return add_entries<4>(cells, entries, n_classes, out);
            default: return add_entries<0>(cells, entries, n_classes, out);
        }
    } else {
        out += table.scope.label;
        for (std::size_t row = 0; row < end - begin; ++row) out[row * n_classes] += entries[cell[row]];
    }
}

}  // namespace

void score(const Block& block, std::span<const double> prior, std::span<const LogTable> tables, double* out) {
    for (const LogTable& table : tables) check(block, table, prior.size());
    parallel((block.rows() + kTile - 1) / kTile, [&](std::size_t task) {
        const std::size_t begin = task * kTile;
        const std::size_t end = std::min(begin + kTile, block.rows());
        double* scores = out + begin * prior.size();
        for (std::size_t row = 0; row < end - begin; ++row)
            std::copy(prior.begin(), prior.end(), scores + row * prior.size());
        for (const LogTable& table : tables) add_table(block, table, begin, end, prior.size(), scores);
    });
}

void log_softmax(double* scores, std::size_t rows, std::size_t n_classes) {
    if (n_classes == 0) return;
    parallel((rows + kTile - 1) / kTile, [&](std::size_t task) {
        for (std::size_t row = task * kTile; row < std::min((task + 1) * kTile, rows); ++row) {
            double* first = scores + row * n_classes;
            double* last = first + n_classes;
            const double greatest = *std::max_element(first, last);
            double sum = 0.0;
            for (const double* s = first; s != last; ++s) sum += std::exp(*s - greatest);
            const double log_sum = greatest + std::log(sum);
            for (double* s = first; s != last; ++s) *s -= log_sum;
        }
    });
}

}  // namespace savvybayes
