#include "pair_planes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "gram.h"
#include "planes.h"
#include "pool.h"

namespace savvybayes {
namespace {

// Squares of the right whose planes are met with those of the left one after the other, and stay in the second-level
// cache meanwhile.
constexpr std::size_t kPanel = 16;

// An attribute is worth making its planes if it has a partner for every so many of them.
constexpr std::size_t kPlanesPerPartner = 32;

// Adds the table of a pair, whose last row and column follow from the totals of the planes.
void add_table(const std::uint32_t* shared, std::size_t stride, const std::uint32_t* row_totals, std::size_t n_rows,
               const std::uint32_t* column_totals, std::size_t n_columns, std::uint32_t total, Count* out,
               std::size_t width) {
    if (n_rows == 1 && n_columns == 1) {  // two values each: the most frequent case by far where attributes are many
        out[0] += *shared;
        out[1] += *row_totals - *shared;
        out[width] += *column_totals - *shared;
        out[width + 1] += total - *row_totals - *column_totals + *shared;
        return;
    }
    std::array<std::uint32_t, 256> last;
    std::copy_n(column_totals, n_columns, last.begin());
    std::uint32_t corner = total;
    for (std::size_t u = 0; u < n_rows; ++u, shared += stride, out += width) {
        std::uint32_t rest = row_totals[u];
        for (std::size_t v = 0; v < n_columns; ++v) {
            out[v] += shared[v];
            rest -= shared[v];
            last[v] -= shared[v];
        }
        out[n_columns] += rest;
        corner -= row_totals[u];
    }
    for (std::size_t v = 0; v < n_columns; ++v) {
        out[v] += last[v];
        corner -= last[v];
    }
    out[n_columns] += corner;
}

std::size_t values_in(const Block& block, Range range) {
    std::size_t values = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) values += block.sizes()[i];
    return values;
}

}  // namespace

// One side of the tile: the chosen attributes, where their planes and their values are.
struct PairsByPlanes::Side {
    struct Member {
        std::size_t attribute, place;  // its place in the Planes
        std::size_t first_plane;       // among the planes of this side
        std::size_t first_value;       // among the values of the tile
    };
    std::vector<Member> members;
    std::size_t n_squares = 0;

    // Those of `range` that are among the attributes; `value` is where the values of the range begin in the tile.
    Side(const Block& block, Range range, std::size_t value, const std::vector<std::size_t>& attributes) {
        std::size_t planes = 0;
        for (std::size_t i = range.begin; i < range.end; value += block.sizes()[i++]) {
            const auto at = std::lower_bound(attributes.begin(), attributes.end(), i);
            if (at == attributes.end() || *at != i) continue;
            members.push_back({i, static_cast<std::size_t>(at - attributes.begin()), planes, value});
            planes += block.sizes()[i] - 1;
        }
        n_squares = (planes + kSquare - 1) / kSquare;
    }

    // The planes of the present rows, filled up to whole squares.
    std::vector<const Word*> planes(const Planes& made) const {
        std::vector<const Word*> result;
        for (const Member& m : members)
            for (std::size_t p = made.first(m.place); p < made.first(m.place + 1); ++p) result.push_back(made.plane(p));
        result.resize(n_squares * kSquare, made.none());
        return result;
    }

    // The attributes that have planes in a square: [first, last] of the members.
    std::vector<Range> members_of_squares() const {
        std::vector<Range> result(n_squares, {members.size(), 0});
        for (std::size_t m = 0; m < members.size(); ++m) {
            const std::size_t end = m + 1 < members.size() ? members[m + 1].first_plane : n_squares * kSquare;
            for (std::size_t s = members[m].first_plane / kSquare; s * kSquare < end; ++s) {
                result[s].begin = std::min(result[s].begin, m);
                result[s].end = m;
            }
        }
        return result;
    }
};

// Two squares, one of each side, that have to meet.
struct PairsByPlanes::Meeting {
    std::uint32_t left, right;
};

PairsByPlanes::PairsByPlanes(const Block& block, const PairTile& tile)
    : block_(block),
      tile_(tile),
      sizes_(block.sizes()),
      most_(gram_kernels().most_for_pairs),
      chosen_(block.n_attributes(), 0) {
    const auto sorted_sizes = [&](Range range) {
        std::vector<std::size_t> sizes(sizes_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                       sizes_.begin() + static_cast<std::ptrdiff_t>(range.end));
        std::sort(sizes.begin(), sizes.end());
        return sizes;
    };
    const auto choose = [&](Range range, const std::vector<std::size_t>& others) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const auto suited = [&](std::size_t other) { return suits(sizes_[i], other); };
            const auto partners = std::partition_point(others.begin(), others.end(), suited) - others.begin();
            if (sizes_[i] <= 255 && planes(sizes_[i]) <= kPlanesPerPartner * static_cast<std::size_t>(partners))
                chosen_[i] = 1;
        }
    };
    const std::vector<std::size_t> row_sizes = sorted_sizes(tile.rows), column_sizes = sorted_sizes(tile.columns);
    choose(tile.rows, column_sizes);
    choose(tile.columns, row_sizes);
}

// The chosen attributes of two ranges, of which the columns begin behind the first of the rows, rising.
std::vector<std::size_t> PairsByPlanes::chosen_in(Range rows, Range columns) const {
    std::vector<std::size_t> result;
    const auto add = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (chosen_[i]) result.push_back(i);
    };
    add(rows.begin, rows.end);
    add(std::max(rows.end, columns.begin), columns.end);
    return result;
}

// Which squares of the right each of the left has to meet: panel by panel, for each panel those of the left.
std::vector<PairsByPlanes::Meeting> PairsByPlanes::meetings(const Side& left, const Side& right) const {
    const std::vector<Range> lefts = left.members_of_squares(), rights = right.members_of_squares();
    const auto least_sizes = [&](const Side& side, const std::vector<Range>& squares) {
        std::vector<std::size_t> result;
        for (const Range& members : squares) {
            std::size_t least = 255;
            for (std::size_t m = members.begin; m <= members.end; ++m)
                least = std::min(least, sizes_[side.members[m].attribute]);
            result.push_back(least);
        }
        return result;
    };
    const std::vector<std::size_t> left_sizes = least_sizes(left, lefts), right_sizes = least_sizes(right, rights);
    std::vector<Meeting> result;
    for (std::size_t panel = 0; panel < right.n_squares; panel += kPanel)
        for (std::size_t i = 0; i < left.n_squares; ++i)
            for (std::size_t j = panel; j < std::min(panel + kPanel, right.n_squares); ++j)
                if (left.members[lefts[i].begin].attribute < right.members[rights[j].end].attribute &&
                    suits(left_sizes[i], right_sizes[j]))
                    result.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    return result;
}

// Some attributes of the tile's rows with all of its columns that come later, in the rows of a task.
void PairsByPlanes::count_part(const PlaneTask& task, std::mutex& mutex, Count* out) const {
    const Range rows{tile_.rows.begin + task.from(tile_.rows.length()), tile_.rows.begin + task.to(tile_.rows.length())};
    const Range columns{std::max(rows.begin + 1, tile_.columns.begin), tile_.columns.end};
    if (rows.length() == 0 || columns.begin >= columns.end) return;
    Planes planes(block_, chosen_in(rows, columns));
    const Side left(block_, rows, values_in(block_, {tile_.rows.begin, rows.begin}), planes.attributes());
    const Side right(block_, columns, values_in(block_, {tile_.columns.begin, columns.begin}), planes.attributes());
    if (left.members.empty() || right.members.empty()) return;
    const std::vector<Meeting> plan = meetings(left, right);
    const std::size_t stride = right.n_squares * kSquare;
    std::vector<std::uint32_t> shared(left.n_squares * kSquare * stride, 0);
    const auto gram = gram_kernels().gram;
    for (std::size_t begin = task.begin; begin < task.end; begin += kPlaneRows) {
        checkpoint();
        planes.make(begin, std::min(begin + kPlaneRows, task.end));
        const std::vector<const Word*> lefts = left.planes(planes), rights = right.planes(planes);
        for (const Meeting& m : plan)
            gram(lefts.data() + m.left * kSquare, rights.data() + m.right * kSquare, planes.words(),
                 shared.data() + m.left * kSquare * stride + m.right * kSquare, stride);
    }

    const std::size_t width = values_in(block_, tile_.columns);
    const auto total = static_cast<std::uint32_t>(task.end - task.begin);
    const std::uint32_t* totals = planes.totals().data();
    const std::lock_guard lock(mutex);
    for (const Side::Member& l : left.members)
        for (const Side::Member& r : right.members)
            if (l.attribute < r.attribute && suits(sizes_[l.attribute], sizes_[r.attribute]))
                add_table(shared.data() + l.first_plane * stride + r.first_plane, stride, totals + planes.first(l.place),
                          sizes_[l.attribute] - 1, totals + planes.first(r.place), sizes_[r.attribute] - 1, total,
                          out + l.first_value * width + r.first_value, width);
}

void PairsByPlanes::count(Count* out) const {
    const std::size_t area = values_in(block_, tile_.rows) * values_in(block_, tile_.columns);
    const std::vector<PlaneTask> tasks =
        plane_tasks(block_, tile_.classes.begin, tile_.classes.end, tile_.rows.length());
    std::deque<std::mutex> mutexes(tile_.classes.length());  // one for each class, whose tables are no others'
    parallel(tasks.size(), [&](std::size_t t) {
        const std::size_t cls = tasks[t].cls - tile_.classes.begin;
        count_part(tasks[t], mutexes[cls], out + cls * area);
    });
}

}  // namespace savvybayes
