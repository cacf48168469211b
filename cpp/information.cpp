#include "information.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "grid.h"
#include "pool.h"

namespace savvybayes {
namespace {

constexpr std::size_t kMostClasses = std::size_t{1} << 24;

// n log n. Most counts are small whole numbers: a table has theirs, to the same bits.
class NLogN {
  public:
    NLogN() {
        for (std::size_t n = 2; n < table_.size(); ++n) table_[n] = exactly(static_cast<Count>(n));
    }

    double operator()(Count n) const {
        if (n < kEntries) {
            const auto whole = static_cast<std::size_t>(n);
            if (static_cast<Count>(whole) == n) return table_[whole];
        }
        return exactly(n);
    }

  private:
    static constexpr std::size_t kEntries = 1 << 13;  // 64 KB

    static double exactly(Count n) { return n > 0.0 ? n * std::log(n) : 0.0; }

    std::vector<double> table_ = std::vector<double>(kEntries, 0.0);
};

// The sum of n log n over the values of one attribute of a pair table; `stride` lies between them, `other_stride` between
// those of the other.
double sum_n_log_n(const NLogN& n_log_n, const Count* table, std::size_t values, std::size_t stride,
                   std::size_t others, std::size_t other_stride) {
    double result = 0.0;
    for (std::size_t v = 0; v < values; ++v) {
        Count sum = 0.0;
        for (std::size_t u = 0; u < others; ++u) sum += table[v * stride + u * other_stride];
        result += n_log_n(sum);
    }
    return result;
}

std::size_t values_in(Range range, std::span<const std::size_t> sizes) {
    return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(range.begin),
                           sizes.begin() + static_cast<std::ptrdiff_t>(range.end), std::size_t{0});
}

// Where the values of each attribute of a range begin.
std::vector<std::size_t> value_begins(Range range, std::span<const std::size_t> sizes) {
    std::vector<std::size_t> begins;
    std::size_t values = 0;
    for (std::size_t i = range.begin; i < range.end; values += sizes[i++]) begins.push_back(values);
    return begins;
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
                      std::size_t class_stride, double* out) {
    check_information(counts.size(), tile, sizes);
    const std::size_t height = values_in(tile.rows, sizes);
    const std::size_t width = values_in(tile.columns, sizes);

    if (tile.rows.length() == 0) return;
    static const NLogN n_log_n;
    const std::vector<std::size_t> row_begins = value_begins(tile.rows, sizes);
    const std::vector<std::size_t> column_begins = value_begins(tile.columns, sizes);
    const auto table_of = [&](std::size_t c, std::size_t i, std::size_t j) {
        return counts.data() + (c * height + row_begins[i - tile.rows.begin]) * width +
               column_begins[j - tile.columns.begin];
    };

    // What an attribute's own values contribute is the same in all its pairs: it is worked out from one of them.
    const std::size_t n_columns = tile.columns.length();
    std::vector<double> of_columns(tile.classes.length() * n_columns, 0.0);
    parallel(tile.classes.length(), [&](std::size_t c) {
        for (std::size_t j = std::max(tile.columns.begin, tile.rows.begin + 1); j < tile.columns.end; ++j)
            of_columns[c * n_columns + j - tile.columns.begin] =
                sum_n_log_n(n_log_n, table_of(c, tile.rows.begin, j), sizes[j], 1, sizes[tile.rows.begin], width);
    });

    // What one attribute of the rows has with all columns in one class.
    const auto add_row = [&](std::size_t c, std::size_t i, double* to) {
        const std::size_t first = std::max(i + 1, tile.columns.begin);
        if (first >= tile.columns.end) return;
        const double of_row = sum_n_log_n(n_log_n, table_of(c, i, first), sizes[i], width, sizes[first], 1);
        Count total = 0.0;
        for (std::size_t u = 0; u < sizes[i]; ++u)
            for (std::size_t v = 0; v < sizes[first]; ++v) total += table_of(c, i, first)[u * width + v];
        const double of_all = n_log_n(total);
        // N I(X; Y) = sum n_xy log n_xy - sum n_x. log n_x. - sum n_.y log n_.y + N log N
        for (std::size_t j = first; j < tile.columns.end; ++j) {
            const Count* table = table_of(c, i, j);
            double of_cells = 0.0;
            for (std::size_t u = 0; u < sizes[i]; ++u)
                for (std::size_t v = 0; v < sizes[j]; ++v) of_cells += n_log_n(table[u * width + v]);
            const std::size_t column = j - tile.columns.begin;
            to[column] += of_cells - of_row - of_columns[c * n_columns + column] + of_all;
        }
    };
    parallel(tile.rows.length(), [&](std::size_t row) {
        for (std::size_t c = 0; c < tile.classes.length(); ++c)
            add_row(c, tile.rows.begin + row, out + c * class_stride + row * n_columns);
    });
}

void mirror(std::size_t n, double weight, double* matrix) {
    constexpr std::size_t kSide = 64;  // of the squares in which rows become columns: both stay in the cache
    const std::size_t squares = (n + kSide - 1) / kSide;
    const double scale = weight > 0.0 ? weight : 1.0;
    parallel(squares, [&](std::size_t square) {
        const std::size_t begin = square * kSide;
        const std::size_t end = std::min(begin + kSide, n);
        for (std::size_t columns = begin; columns < n; columns += kSide)
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t j = std::max(columns, i + 1); j < std::min(columns + kSide, n); ++j)
                    matrix[i * n + j] = matrix[j * n + i] = std::max(grid(matrix[i * n + j] / scale), 0.0);
        for (std::size_t i = begin; i < end; ++i) matrix[i * n + i] = 0.0;
    });
}

}  // namespace savvybayes
