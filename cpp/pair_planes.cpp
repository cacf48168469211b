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

// Up to `most` meetings of planes.
bool suits(std::size_t size, std::size_t other_size, std::size_t most) {
    const auto planes = [](std::size_t of) { return std::max<std::size_t>(of, 2) - 1; };
    return size <= 255 && other_size <= 255 && planes(size) * planes(other_size) <= most;
}

// One side of the tile: the attributes that may suit planes, where their planes and their values are.
struct Side {
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

// Which squares of the right each square of the left has to meet: panel by panel, for each panel those of the left.
struct Plan {
    struct Meeting {
        std::uint32_t left, right;
    };
    std::vector<Meeting> meetings;

    Plan(const Block& block, const Side& left, const Side& right) {
        const std::vector<Range> lefts = left.members_of_squares(), rights = right.members_of_squares();
        const std::size_t most = gram_kernels().most_meetings;
        const auto least_size = [&](const Side& side, Range members) {
            std::size_t least = block.sizes()[side.members[members.begin].attribute];
            for (std::size_t m = members.begin; m <= members.end; ++m)
                least = std::min(least, block.sizes()[side.members[m].attribute]);
            return least;
        };
        std::vector<std::size_t> left_sizes, right_sizes;
        for (const Range& members : lefts) left_sizes.push_back(least_size(left, members));
        for (const Range& members : rights) right_sizes.push_back(least_size(right, members));
        for (std::size_t panel = 0; panel < right.n_squares; panel += kPanel)
            for (std::size_t i = 0; i < left.n_squares; ++i)
                for (std::size_t j = panel; j < std::min(panel + kPanel, right.n_squares); ++j)
                    if (left.members[lefts[i].begin].attribute < right.members[rights[j].end].attribute &&
                        suits(left_sizes[i], right_sizes[j], most))
                        meetings.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
    }
};

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

// The attributes of two ranges that suit planes with at least one other.
std::vector<std::size_t> attributes_of(const Block& block, Range rows, Range columns) {
    std::vector<std::size_t> result;
    const auto add = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (pair_suits_planes(block.sizes()[i], 2)) result.push_back(i);
    };
    add(rows.begin, rows.end);  // the columns begin behind the first of the rows
    add(std::max(rows.end, columns.begin), columns.end);
    return result;
}

std::size_t values_in(const Block& block, Range range) {
    std::size_t values = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) values += block.sizes()[i];
    return values;
}

// Some attributes of the tile's rows with all of its columns that come later, in the rows of a task.
void count_part(const Block& block, const PairTile& tile, const PlaneTask& task, std::mutex& mutex, Count* out) {
    const Range rows{tile.rows.begin + task.from(tile.rows.length()), tile.rows.begin + task.to(tile.rows.length())};
    const Range columns{std::max(rows.begin + 1, tile.columns.begin), tile.columns.end};
    if (rows.length() == 0 || columns.begin >= columns.end) return;
    Planes planes(block, attributes_of(block, rows, columns));
    const Side left(block, rows, values_in(block, {tile.rows.begin, rows.begin}), planes.attributes());
    const Side right(block, columns, values_in(block, {tile.columns.begin, columns.begin}), planes.attributes());
    const Plan plan(block, left, right);
    const std::size_t stride = right.n_squares * kSquare;
    std::vector<std::uint32_t> shared(left.n_squares * kSquare * stride, 0);
    const auto gram = gram_kernels().gram;
    for (std::size_t begin = task.begin; begin < task.end; begin += kPlaneRows) {
        checkpoint();
        planes.make(begin, std::min(begin + kPlaneRows, task.end));
        const std::vector<const Word*> lefts = left.planes(planes), rights = right.planes(planes);
        for (const Plan::Meeting& m : plan.meetings)
            gram(lefts.data() + m.left * kSquare, rights.data() + m.right * kSquare, planes.words(),
                 shared.data() + m.left * kSquare * stride + m.right * kSquare, stride);
    }

    const std::size_t width = values_in(block, tile.columns);
    const std::size_t most = gram_kernels().most_meetings;
    const auto total = static_cast<std::uint32_t>(task.end - task.begin);
    const std::uint32_t* totals = planes.totals().data();
    const std::lock_guard lock(mutex);
    for (const Side::Member& l : left.members)
        for (const Side::Member& r : right.members) {
            const std::size_t height = block.sizes()[l.attribute], breadth = block.sizes()[r.attribute];
            if (l.attribute < r.attribute && suits(height, breadth, most))
                add_table(shared.data() + l.first_plane * stride + r.first_plane, stride, totals + planes.first(l.place),
                          height - 1, totals + planes.first(r.place), breadth - 1, total,
                          out + l.first_value * width + r.first_value, width);
        }
}

}  // namespace

bool pair_suits_planes(std::size_t size, std::size_t other_size) {
    return suits(size, other_size, gram_kernels().most_meetings);
}

void count_pairs_by_planes(const Block& block, const PairTile& tile, Count* out) {
    const std::size_t area = values_in(block, tile.rows) * values_in(block, tile.columns);
    const std::vector<PlaneTask> tasks =
        plane_tasks(block, tile.classes.begin, tile.classes.end, tile.rows.length());
    std::deque<std::mutex> mutexes(tile.classes.length());  // one for each class, whose tables are no others'
    parallel(tasks.size(), [&](std::size_t t) {
        const std::size_t cls = tasks[t].cls - tile.classes.begin;
        count_part(block, tile, tasks[t], mutexes[cls], out + cls * area);
    });
}

}  // namespace savvybayes
