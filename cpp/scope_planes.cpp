#include "scope_planes.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "gram.h"
#include "planes.h"
#include "pool.h"

namespace savvybayes {
namespace {

// Planes that are kept at the same time: 1 MB, which stays in the second-level cache. Of thousands of attributes the
// planes of all would take many times the memory of the codes.
constexpr std::size_t kMostPlanes = 256;

// Of a class, on average: to make ready for fewer costs more than counting them does.
constexpr std::size_t kLeastRows = 512;

// Scopes that share all attributes but their last: what these have in common is met once for all of them.
struct Group {
    struct Member {
        WantedScope wanted;
        std::size_t last, first_plane;  // the last attribute, and where its planes are among those of the group
    };
    std::vector<std::size_t> prefix;  // rising
    std::vector<Member> members;
    std::size_t n_planes = 0;  // of the members' last attributes, each once

    // How many combinations the prefix has, in each of its attributes "any value" for the last one.
    std::size_t cells(const Block& block) const {
        std::size_t result = 1;
        for (const std::size_t i : prefix) result *= block.sizes()[i];
        return result;
    }
};

// Each scope with the attribute of most values as its last; of equals that which fewest scopes have.
std::vector<Group> groups_of(const Block& block, std::span<const WantedScope> wanted) {
    std::vector<std::size_t> used(block.n_attributes(), 0);
    for (const WantedScope& w : wanted)
        for (const std::size_t i : w.scope->attributes) ++used[i];
    std::map<std::vector<std::size_t>, std::vector<Group::Member>> by_prefix;
    for (const WantedScope& w : wanted) {
        std::vector<std::size_t> attributes = w.scope->attributes;
        std::sort(attributes.begin(), attributes.end());
        const auto last = std::max_element(attributes.begin(), attributes.end(), [&](std::size_t i, std::size_t j) {
            return std::pair(block.sizes()[i], used[j]) < std::pair(block.sizes()[j], used[i]);
        });
        const std::size_t own = *last;
        attributes.erase(last);
        by_prefix[attributes].push_back({w, own, 0});
    }
    std::vector<Group> groups;
    for (auto& [prefix, members] : by_prefix) {
        std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.last < b.last; });
        Group group{prefix, {}, 0};
        for (Group::Member member : members) {
            const std::size_t own = block.sizes()[member.last] - 1;
            const bool again = !group.members.empty() && group.members.back().last == member.last;
            if (!again && !group.members.empty() && group.n_planes + own > kMostPlanes)
                groups.push_back(std::exchange(group, {prefix, {}, 0}));
            member.first_plane = again ? group.members.back().first_plane : group.n_planes;
            if (!again) group.n_planes += own;
            group.members.push_back(member);
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<std::size_t> attributes_of(std::span<const Group> groups) {
    std::vector<std::size_t> result;
    for (const Group& group : groups) {
        result.insert(result.end(), group.prefix.begin(), group.prefix.end());
        for (const Group::Member& m : group.members) result.push_back(m.last);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

// The counts of a group in the rows of a task: for each combination of the prefix how many rows it has, and how many of
// these each plane of the last attributes has. The last value of an attribute of the prefix stands for any value.
class GroupCounts {
  public:
    GroupCounts(const Block& block, const Group& group, const Planes& planes) : group_(group), planes_(planes) {
        for (const std::size_t i : group.prefix) {
            sizes_.push_back(block.sizes()[i]);
            places_.push_back(place_of(i));
        }
        for (const Group::Member& m : group.members) last_places_.push_back(place_of(m.last));
        stride_ = (group.n_planes + kSquare - 1) / kSquare * kSquare;
        totals_.assign(group.cells(block), 0);
        shared_.assign((totals_.size() + kSquare) * stride_, 0);
    }

    // Adds the rows whose planes have been made.
    void add(std::size_t rows) {
        std::vector<const Word*> lasts(stride_, planes_.none());
        for (std::size_t m = 0; m < last_places_.size(); ++m) {
            const std::size_t first = planes_.first(last_places_[m]);
            for (std::size_t p = first; p < planes_.first(last_places_[m] + 1); ++p)
                lasts[group_.members[m].first_plane + p - first] = planes_.plane(p);
        }
        const std::size_t words = planes_.words();
        Buffer<Word> met(kSquare * words);
        const std::size_t any = totals_.size() - 1;
        totals_[any] += static_cast<std::uint32_t>(rows);
        for (std::size_t begin = 0; begin < any; begin += kSquare) {
            const Word* square[kSquare];
            for (std::size_t k = 0; k < kSquare; ++k)
                square[k] = begin + k < any ? combine(begin + k, met.data() + k * words) : planes_.none();
            for (std::size_t j = 0; j < stride_; j += kSquare)
                gram_kernels().gram(square, lasts.data() + j, words, shared_.data() + begin * stride_ + j, stride_);
        }
    }

    // Adds to the table of a member, once all rows are in.
    void add_to_table(std::size_t m, std::size_t cls, const Block& block) const {
        const Group::Member& member = group_.members[m];
        const std::size_t last_size = block.sizes()[member.last];
        const std::uint32_t* last_totals = planes_.totals().data() + planes_.first(last_places_[m]);
        std::vector<std::uint32_t> table(totals_.size() * last_size);
        for (std::size_t cell = 0; cell < totals_.size(); ++cell) {
            const bool all = cell + 1 == totals_.size();
            const std::uint32_t* row = all ? last_totals : shared_.data() + cell * stride_ + member.first_plane;
            std::copy_n(row, last_size - 1, table.begin() + static_cast<std::ptrdiff_t>(cell * last_size));
            table[cell * last_size + last_size - 1] = totals_[cell];
        }
        std::vector<std::size_t> sizes = sizes_;
        sizes.push_back(last_size);
        for (std::size_t axis = 0, inner = table.size(); axis < sizes.size(); ++axis) {
            inner /= sizes[axis];
            subtract_others(table, sizes[axis], inner);
        }
        scatter(table, sizes, member, cls, block);
    }

  private:
    std::size_t place_of(std::size_t attribute) const {
        const auto& all = planes_.attributes();
        return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), attribute) - all.begin());
    }

    // The plane of a combination of the prefix; where it is of more than one attribute it is written to `scratch`.
    const Word* combine(std::size_t cell, Word* scratch) {
        const Word* plane = nullptr;
        std::uint32_t rows = 0;
        std::size_t rest = cell;
        for (std::size_t k = sizes_.size(); k-- > 0; rest /= sizes_[k]) {
            const std::size_t value = rest % sizes_[k];
            if (value + 1 == sizes_[k]) continue;  // any
            const std::size_t p = planes_.first(places_[k]) + value;
            if (plane) rows = gram_kernels().meet(plane, planes_.plane(p), planes_.words(), scratch);
            single_ = plane ? single_ : p;
            plane = plane ? scratch : planes_.plane(p);
        }
        if (plane == scratch)
            totals_[cell] += rows;
        else
            totals_[cell] = planes_.totals()[single_];  // of all rows so far
        return plane;
    }

    // Along an axis "any value" becomes the last value: what the others leave.
    static void subtract_others(std::vector<std::uint32_t>& table, std::size_t size, std::size_t inner) {
        for (std::size_t outer = 0; outer < table.size(); outer += size * inner)
            for (std::size_t v = 0; v + 1 < size; ++v)
                for (std::size_t k = 0; k < inner; ++k)
                    table[outer + (size - 1) * inner + k] -= table[outer + v * inner + k];
    }

    // Adds the table, whose axes are the prefix and the last attribute, to the scope's, in the order of its attributes.
    void scatter(const std::vector<std::uint32_t>& table, const std::vector<std::size_t>& sizes,
                 const Group::Member& member, std::size_t cls, const Block& block) const {
        std::vector<std::size_t> strides(sizes.size());
        std::size_t stride = 1;
        for (std::size_t k = sizes.size(); k-- > 0;) {
            const std::size_t attribute = member.wanted.scope->attributes[k];
            const auto at = std::lower_bound(group_.prefix.begin(), group_.prefix.end(), attribute);
            const bool in_prefix = attribute != member.last && at != group_.prefix.end();
            strides[in_prefix ? static_cast<std::size_t>(at - group_.prefix.begin()) : sizes.size() - 1] = stride;
            stride *= block.sizes()[attribute];
        }
        Count* out = member.wanted.out + (member.wanted.scope->label == Scope::kEveryClass ? cls * table.size() : 0);
        for (std::size_t cell = 0; cell < table.size(); ++cell) {
            std::size_t to = 0;
            for (std::size_t k = sizes.size(), rest = cell; k-- > 0; rest /= sizes[k]) to += rest % sizes[k] * strides[k];
            out[to] += table[cell];
        }
    }

    const Group& group_;
    const Planes& planes_;
    std::vector<std::size_t> sizes_, places_, last_places_;
    std::size_t stride_ = 0;
    std::size_t single_ = 0;
    std::vector<std::uint32_t> totals_, shared_;
};

// How many of the groups, at least one, have attributes of at most kMostPlanes planes together.
std::size_t groups_at_once(const Block& block, std::span<const Group> groups) {
    std::set<std::size_t> attributes;
    std::size_t planes = 0;
    const auto add = [&](std::size_t attribute) {
        if (attributes.insert(attribute).second) planes += block.sizes()[attribute] - 1;
    };
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (const std::size_t i : groups[g].prefix) add(i);
        for (const Group::Member& m : groups[g].members) add(m.last);
        if (g > 0 && planes > kMostPlanes) return g;
    }
    return groups.size();
}

// Counts some groups in the rows of a task.
void count_groups(const Block& block, std::span<const Group> groups, const PlaneTask& task, std::mutex& mutex) {
    Planes planes(block, attributes_of(groups));
    std::deque<GroupCounts> counts;
    for (const Group& group : groups) counts.emplace_back(block, group, planes);
    for (std::size_t begin = task.begin; begin < task.end; begin += kPlaneRows) {
        const std::size_t end = std::min(begin + kPlaneRows, task.end);
        checkpoint();
        planes.make(begin, end);
        for (GroupCounts& group : counts) group.add(end - begin);
    }
    const std::lock_guard lock(mutex);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t m = 0; m < groups[g].members.size(); ++m) counts[g].add_to_table(m, task.cls, block);
}

// Counts scopes in the classes [first_class, last_class), each of which has a table of every scope.
void count_in(const Block& block, std::span<const WantedScope> wanted, std::size_t first_class, std::size_t last_class) {
    if (wanted.empty()) return;
    const std::vector<Group> groups = groups_of(block, wanted);
    const std::vector<PlaneTask> tasks = plane_tasks(block, first_class, last_class, groups.size());
    std::deque<std::mutex> mutexes(last_class - first_class);
    parallel(tasks.size(), [&](std::size_t t) {
        const PlaneTask& task = tasks[t];
        const std::size_t from = task.from(groups.size());
        auto own = std::span(groups).subspan(from, task.to(groups.size()) - from);
        while (!own.empty()) {
            const std::size_t some = groups_at_once(block, own);
            count_groups(block, own.first(some), task, mutexes[task.cls - first_class]);
            own = own.subspan(some);
        }
    });
}

}  // namespace

bool scope_suits_planes(const Block& block, const Scope& scope) {
    if (!block.weights().empty() || scope.attributes.empty()) return false;
    const auto c = static_cast<std::size_t>(scope.label);
    const std::size_t rows = scope.label == Scope::kEveryClass ? block.rows() / block.n_classes()
                                                               : block.begins()[c + 1] - block.begins()[c];
    if (rows < kLeastRows) return false;
    std::vector<std::size_t> attributes = scope.attributes;
    std::sort(attributes.begin(), attributes.end());
    if (std::adjacent_find(attributes.begin(), attributes.end()) != attributes.end()) return false;
    std::size_t cells = 1;
    std::size_t most_values = 0;
    for (const std::size_t i : attributes) {
        cells *= block.sizes()[i];
        most_values = std::max(most_values, block.sizes()[i]);
        if (most_values > 255 || cells + 8 * most_values > gram_kernels().most_for_scopes) return false;
    }
    return true;
}

void count_scopes_by_planes(const Block& block, std::span<const WantedScope> wanted) {
    std::vector<WantedScope> of_every_class;
    std::map<int, std::vector<WantedScope>> of_one_class;
    for (const WantedScope& w : wanted)
        (w.scope->label == Scope::kEveryClass ? of_every_class : of_one_class[w.scope->label]).push_back(w);
    count_in(block, of_every_class, 0, block.n_classes());
    for (const auto& [label, scopes] : of_one_class)
        count_in(block, scopes, static_cast<std::size_t>(label), static_cast<std::size_t>(label) + 1);
}

}  // namespace savvybayes
