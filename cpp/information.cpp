#include "information.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "pool.h"

namespace savvybayes {
namespace {

constexpr std::size_t kMostClasses = std::size_t{1} << 24;

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

std::size_t values_in(Range range, std::span<const std::size_t> sizes) {
    return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(range.begin),
                           sizes.begin() + static_cast<std::ptrdiff_t>(range.end), std::size_t{0});
}

}  // namespace

void check_information(std::size_t n_counts, const PairTile& tile, std::span<const std::size_t> sizes) {
    for (const Range range : {tile.rows, tile.columns})
        if (range.begin > range.end || range.end > sizes.size())
            throw std::invalid_argument("a tile of attributes that do not exist");
    if (tile.classes.begin > tile.classes.end) throw std::invalid_argument("a tile of classes that do not exist");
    for (const std::size_t size : sizes)
        if (size == 0 || size > std::numeric_limits<Wide>::max())
            throw std::invalid_argument("an attribute has 1 to 65535 values");
    const std::size_t area = values_in(tile.rows, sizes) * values_in(tile.columns, sizes);
    if (area == 0 ? n_counts != 0 || tile.classes.length() > kMostClasses
                  : n_counts % area != 0 || n_counts / area != tile.classes.length())
        throw std::invalid_argument("the counts are not those of the tile");
}

void pair_information(std::span<const Count> counts, const PairTile& tile, std::span<const std::size_t> sizes,
                      double* out) {
    check_information(counts.size(), tile, sizes);
    const std::size_t height = values_in(tile.rows, sizes);
    const std::size_t width = values_in(tile.columns, sizes);

    parallel(tile.classes.length() * tile.rows.length(), [&](std::size_t task) {
        const std::size_t c = task / tile.rows.length();
        const std::size_t i = tile.rows.begin + task % tile.rows.length();
        const Count* table = counts.data() + (c * height + values_in({tile.rows.begin, i}, sizes)) * width;
        double* to = out + task * tile.columns.length();
        std::vector<Count> scratch;
        for (std::size_t j = tile.columns.begin; j < tile.columns.end; table += sizes[j++])
            *to++ = i < j ? information(table, sizes[i], sizes[j], width, scratch) : 0.0;
    });
}

}  // namespace savvybayes
