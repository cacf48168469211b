#include "planes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "gram.h"
#include "pool.h"

namespace savvybayes {
namespace {

// Rows whose planes are made and met together: those of some hundred attributes stay in the second-level cache.
constexpr std::size_t kRows = std::size_t{1} << 14;

// A task meets at most so many planes with the others: one class of few rows is work for several threads, too.
constexpr std::size_t kPanel = 256;

// Zeroed words where whole vectors can be loaded.
class Words {
  public:
    explicit Words(std::size_t size)
        : words_(static_cast<Word*>(::operator new[](size * sizeof(Word), kAlignment))) {
        std::fill_n(words_.get(), size, Word{0});
    }

    Word* data() { return words_.get(); }
    const Word* data() const { return words_.get(); }

  private:
    static constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(Word* words) const { ::operator delete[](words, kAlignment); }
    };
    std::unique_ptr<Word[], Free> words_;
};

// The attributes of few values in a range, and the planes of all their values but the last, which the others tell.
struct PlaneSet {
    struct Member {
        std::size_t attribute, first_plane, first_value;
    };
    std::vector<Member> members;
    std::size_t n_planes = 0;  // a multiple of kSquare

    // `value` is where the values of the range begin among those of the tile.
    PlaneSet(const Block& block, Range range, std::size_t value, std::size_t most_values) {
        for (std::size_t i = range.begin; i < range.end; value += block.sizes()[i++]) {
            if (block.sizes()[i] > most_values) continue;
            members.push_back({i, n_planes, value});
            n_planes += block.sizes()[i] - 1;
        }
        n_planes = (n_planes + kSquare - 1) / kSquare * kSquare;
    }

    // The planes of the rows [begin, end), each of so many words.
    Words make(const Block& block, std::size_t begin, std::size_t end, std::size_t words) const {
        Words planes(n_planes * words);
        for (const Member& m : members)
            gram_kernels().make_planes(std::get<std::vector<Narrow>>(block.codes(m.attribute)).data() + begin,
                                       end - begin, block.sizes()[m.attribute] - 1,
                                       planes.data() + m.first_plane * words, words);
        return planes;
    }

    // How many rows each plane has.
    std::vector<std::uint32_t> totals(const Words& planes, std::size_t words) const {
        std::vector<std::uint32_t> result(n_planes, 0);
        for (std::size_t plane = 0; plane < n_planes; ++plane)
            for (std::size_t w = 0; w < words; ++w)
                result[plane] += static_cast<std::uint32_t>(std::popcount(planes.data()[plane * words + w]));
        return result;
    }
};

// Attributes of the tile's rows whose planes are met with all others at once.
struct Panel {
    Range attributes;
    std::size_t value;
};

std::vector<Panel> panels_of(const Block& block, Range range, std::size_t most_values) {
    std::vector<Panel> panels;
    std::size_t planes = kPanel + 1;
    std::size_t value = 0;
    for (std::size_t i = range.begin; i < range.end; value += block.sizes()[i++]) {
        if (block.sizes()[i] <= most_values) planes += block.sizes()[i] - 1;
        if (planes > kPanel) {
            panels.push_back({{i, i}, value});
            planes = block.sizes()[i] - 1;
        }
        panels.back().attributes.end = i + 1;
    }
    return panels;
}

// What each plane of the left shares with each of the right; planes that meet in no pair i < j are passed over.
std::vector<std::uint32_t> gram(const PlaneSet& lefts, const Words& left, const PlaneSet& rights, const Words& right,
                                std::size_t words) {
    std::vector<std::uint32_t> shared(lefts.n_planes * rights.n_planes);
    std::size_t first = 0;  // the lowest square of the right that meets this one of the left
    auto lowest = rights.members.begin();
    auto member = lefts.members.begin();
    for (std::size_t i = 0; i < lefts.n_planes; i += kSquare) {
        while (member + 1 != lefts.members.end() && (member + 1)->first_plane <= i) ++member;
        while (lowest != rights.members.end() && lowest->attribute <= member->attribute) ++lowest;
        if (lowest == rights.members.end()) break;
        first = lowest->first_plane / kSquare * kSquare;
        for (std::size_t j = first; j < rights.n_planes; j += kSquare)
            gram_kernels().gram(left.data() + i * words, right.data() + j * words, words,
                                shared.data() + i * rights.n_planes + j, rights.n_planes);
    }
    return shared;
}

// Adds the table of a pair, whose last row and column follow from the totals of the planes.
void add_table(const std::uint32_t* shared, std::size_t stride, const std::uint32_t* row_totals, std::size_t n_rows,
               const std::uint32_t* column_totals, std::size_t n_columns, std::uint32_t total, Count* out,
               std::size_t width) {
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

}  // namespace

void count_by_planes(const Block& block, const PairTile& tile, std::size_t most_values, Count* out) {
    const auto values_in = [&](Range range) {
        std::size_t values = 0;
        for (std::size_t i = range.begin; i < range.end; ++i) values += block.sizes()[i];
        return values;
    };
    const std::size_t width = values_in(tile.columns);
    const std::size_t area = values_in(tile.rows) * width;

    struct Task {
        std::size_t cls, begin, end;
        Panel panel;
        std::mutex* mutex;  // of a class and a panel, whose tables are no others'
    };
    std::vector<Task> tasks;
    std::deque<std::mutex> mutexes;
    for (std::size_t c = tile.classes.begin; c < tile.classes.end; ++c)
        for (const Panel& panel : panels_of(block, tile.rows, most_values)) {
            mutexes.emplace_back();
            for (std::size_t begin = block.begins()[c]; begin < block.begins()[c + 1]; begin += kRows)
                tasks.push_back({c, begin, std::min(begin + kRows, block.begins()[c + 1]), panel, &mutexes.back()});
        }

    parallel(tasks.size(), [&](std::size_t t) {
        const Task& task = tasks[t];
        const std::size_t from = std::max(task.panel.attributes.begin + 1, tile.columns.begin);
        if (from >= tile.columns.end) return;
        const PlaneSet lefts(block, task.panel.attributes, task.panel.value, most_values);
        const PlaneSet rights(block, {from, tile.columns.end}, values_in({tile.columns.begin, from}), most_values);
        const auto total = static_cast<std::uint32_t>(task.end - task.begin);
        const std::size_t words = (total + 64 * kPlaneWords - 1) / (64 * kPlaneWords) * kPlaneWords;
        const Words left = lefts.make(block, task.begin, task.end, words);
        const Words right = rights.make(block, task.begin, task.end, words);
        const std::vector<std::uint32_t> shared = gram(lefts, left, rights, right, words);
        const std::vector<std::uint32_t> left_totals = lefts.totals(left, words);
        const std::vector<std::uint32_t> right_totals = rights.totals(right, words);

        const std::lock_guard lock(*task.mutex);
        Count* matrix = out + (task.cls - tile.classes.begin) * area;
        for (const PlaneSet::Member& l : lefts.members)
            for (const PlaneSet::Member& r : rights.members)
                if (l.attribute < r.attribute)
                    add_table(shared.data() + l.first_plane * rights.n_planes + r.first_plane, rights.n_planes,
                              left_totals.data() + l.first_plane, block.sizes()[l.attribute] - 1,
                              right_totals.data() + r.first_plane, block.sizes()[r.attribute] - 1, total,
                              matrix + l.first_value * width + r.first_value, width);
    });
}

}  // namespace savvybayes
