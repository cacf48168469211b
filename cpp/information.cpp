#include "information.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "pool.h"

namespace savvybayes {
namespace {

double n_log_n(Count n) { return n > 0.0 ? n * std::log(n) : 0.0; }

// N I(X; Y) = sum n_xy log n_xy - sum n_x. log n_x. - sum n_.y log n_.y + N log N
double information(const Count* table, std::size_t rows, std::size_t columns, std::size_t width,
                   std::vector<Count>& column_sums) {
    column_sums.assign(columns, 0.0);
    Count total = 0.0;
    double result = 0.0;
    for (std::size_t u = 0; u < rows; ++u) {
        const Count* row = table + u * width;
        Count sum = 0.0;
        for (std::size_t v = 0; v < columns; ++v) {
            if (row[v] == 0.0) continue;
            sum += row[v];
            column_sums[v] += row[v];
            result += n_log_n(row[v]);
        }
        total += sum;
        result -= n_log_n(sum);
    }
    for (const Count sum : column_sums) result -= n_log_n(sum);
    return result + n_log_n(total);
}

}  // namespace

void pair_information(std::span<const Count> counts, const PairTile& tile, std::span<const std::size_t> sizes,
                      double* out) {
    if (tile.rows.begin > tile.rows.end || tile.columns.begin > tile.columns.end ||
        tile.classes.begin > tile.classes.end || std::max(tile.rows.end, tile.columns.end) > sizes.size())
        throw std::invalid_argument("a tile of attributes that do not exist");
    const auto sum = [&](Range range) {
        std::size_t total = 0;
        for (std::size_t i = range.begin; i < range.end; ++i) total += sizes[i];
        return total;
    };
    const std::size_t height = sum(tile.rows);
    const std::size_t width = sum(tile.columns);
    if (counts.size() != tile.classes.length() * height * width)
        throw std::invalid_argument("the counts are not those of the tile");

    parallel(tile.classes.length() * tile.rows.length(), [&](std::size_t task) {
        const std::size_t c = task / tile.rows.length();
        const std::size_t i = tile.rows.begin + task % tile.rows.length();
        const Count* table = counts.data() + (c * height + sum({tile.rows.begin, i})) * width;
        double* to = out + task * tile.columns.length();
        std::vector<Count> scratch;
        for (std::size_t j = tile.columns.begin; j < tile.columns.end; table += sizes[j++])
            *to++ = i < j ? information(table, sizes[i], sizes[j], width, scratch) : 0.0;
    });
}

}  // namespace savvybayes
