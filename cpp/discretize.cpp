#include "discretize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "grid.h"
#include "keys.h"
#include "pool.h"

namespace savvybayes {
namespace {

constexpr std::size_t kBetweenCheckpoints = std::size_t{1} << 18;  // rows: some milliseconds
constexpr std::size_t kMostKeys = std::size_t{1} << 14;

// A value map in the making. It may hold up to twice the keys of a finished one, so that it is seldom squeezed.
class Gathering {
  public:
    explicit Gathering(std::size_t n_classes) : n_classes_(n_classes) {}

    void add(double value, std::size_t cls, Count weight) {
        const std::size_t i = index_.number_of(key_of(value) >> level_);
        if (i == ranges_.size()) {
            ranges_.push_back({value, value});
            counts_.resize(counts_.size() + n_classes_, 0.0);
        } else {
            ranges_[i].add({value, value});
        }
        counts_[i * n_classes_ + cls] += weight;
        if (ranges_.size() > 2 * kMostKeys) squeeze();
    }

    // Sorts the keys, and coarsens them until they are few enough.
    void squeeze() {
        const std::vector<Key>& keys = index_.keys();
        std::vector<std::pair<Key, std::uint32_t>> order(keys.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {keys[i], i};
        std::sort(order.begin(), order.end());
        const int drop = bits_to_drop(order);

        KeyIndex index;
        std::vector<Range> ranges;
        std::vector<Count> counts;
        for (const auto& [key, from] : order) {
            const std::size_t to = index.number_of(key >> drop);
            if (to == ranges.size()) {
                ranges.push_back(ranges_[from]);
                counts.resize(counts.size() + n_classes_, 0.0);
            } else {
                ranges[to].add(ranges_[from]);
            }
            for (std::size_t c = 0; c < n_classes_; ++c) counts[to * n_classes_ + c] += counts_[from * n_classes_ + c];
        }
        level_ += drop;
        index_ = std::move(index);
        ranges_ = std::move(ranges);
        counts_ = std::move(counts);
    }

    ValueMap finish(std::vector<Count> missing) && {
        squeeze();
        ValueMap map{level_, {}, {}, std::move(counts_), std::move(missing)};
        for (const Range& range : ranges_) {
            map.least.push_back(range.least);
            map.greatest.push_back(range.greatest);
        }
        return map;
    }

  private:
    struct Range {
        double least, greatest;

        void add(const Range& other) {
            least = std::min(least, other.least);
            greatest = std::max(greatest, other.greatest);
        }
    };

    // The fewest low bits without which at most kMostKeys of the sorted keys are distinct.
    static int bits_to_drop(const std::vector<std::pair<Key, std::uint32_t>>& sorted) {
        std::size_t apart[65] = {};  // neighbours that meet once so many bits are dropped
        for (std::size_t i = 1; i < sorted.size(); ++i) ++apart[std::bit_width(sorted[i - 1].first ^ sorted[i].first)];
        std::size_t distinct = sorted.size();
        int drop = 0;
        while (distinct > kMostKeys) distinct -= apart[++drop];
        return drop;
    }

    std::size_t n_classes_;
    int level_ = 0;
    KeyIndex index_;
    std::vector<Range> ranges_;
    std::vector<Count> counts_;
};

// The classes in an interval of keys.
struct ClassSums {
    std::vector<Count> sums;
    Count total = 0.0;
    int present = 0;
    double entropy = 0.0;  // in bits
};

double n_log_n(Count n) { return n > 0.0 ? n * std::log2(n) : 0.0; }

// Interval after interval of keys [begin, end), cut at their best boundary where that pays.
class Mdlp {
  public:
    explicit Mdlp(const MapView& map) : map_(map) {}

    std::vector<double> cuts() {
        std::vector<double> found;
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, map_.least.size()}};
        while (!open.empty()) {
            checkpoint();
            const auto [begin, end] = open.back();
            open.pop_back();
            const std::size_t middle = best_cut(begin, end);
            if (middle == end) continue;
            found.push_back(between(map_.greatest[middle - 1], map_.least[middle]));
            open.emplace_back(begin, middle);
            open.emplace_back(middle, end);
        }
        std::sort(found.begin(), found.end());
        return found;
    }

  private:
    // The first key right of the best cut of an interval, or `end` where none pays.
    std::size_t best_cut(std::size_t begin, std::size_t end) const {
        const ClassSums all = sum(begin, end);
        if (all.total < 2.0) return end;
        const auto [middle, entropy] = least_entropy(begin, end, all);
        if (middle == end) return end;
        const ClassSums left = sum(begin, middle);
        const ClassSums right = sum(middle, end);
        const double spared = all.present * all.entropy - left.present * left.entropy - right.present * right.entropy;
        const double threshold = (std::log2(all.total - 1.0) + log2_3k_minus_2(all.present) - spared) / all.total;
        return grid(all.entropy - entropy) > grid(threshold) ? middle : end;
    }

    // The boundary of least class entropy, the lowest of tied ones, and that entropy; `end` if there is no boundary.
    std::pair<std::size_t, double> least_entropy(std::size_t begin, std::size_t end, const ClassSums& all) const {
        const std::size_t n_classes = map_.n_classes;
        std::vector<Count> left(n_classes, 0.0);
        std::vector<double> parts(2 * n_classes, 0.0);  // n log n of each class, on the left and on the right
        for (std::size_t c = 0; c < n_classes; ++c) parts[n_classes + c] = n_log_n(all.sums[c]);
        Count total = 0.0;
        std::size_t best = end;
        double best_entropy = 0.0;
        for (std::size_t i = begin; i + 1 < end; ++i) {
            for (std::size_t c = 0; c < n_classes; ++c) {
                const Count count = map_.counts[i * n_classes + c];
                if (count == 0.0) continue;
                left[c] += count;
                total += count;
                parts[c] = n_log_n(left[c]);
                parts[n_classes + c] = n_log_n(all.sums[c] - left[c]);
            }
            if (!is_boundary(i)) continue;
            const double inside = std::accumulate(parts.begin(), parts.end(), 0.0);
            const double entropy = (n_log_n(total) + n_log_n(all.total - total) - inside) / all.total;
            if (best == end || grid(entropy) < grid(best_entropy)) {
                best = i + 1;
                best_entropy = entropy;
            }
        }
        return {best, best_entropy};
    }

    // No cut of least entropy parts two keys that have one class, the same one, only.
    bool is_boundary(std::size_t i) const {
        const std::size_t cls = only_class(i);
        return cls == map_.n_classes || cls != only_class(i + 1);
    }

    // The class of a key that has only one, otherwise n_classes.
    std::size_t only_class(std::size_t i) const {
        const auto row = map_.counts.subspan(i * map_.n_classes, map_.n_classes);
        const auto present = [](Count count) { return count > 0.0; };
        const auto first = std::find_if(row.begin(), row.end(), present);
        if (first == row.end() || std::any_of(first + 1, row.end(), present)) return map_.n_classes;
        return static_cast<std::size_t>(first - row.begin());
    }

    ClassSums sum(std::size_t begin, std::size_t end) const {
        ClassSums result;
        result.sums.resize(map_.n_classes, 0.0);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t c = 0; c < map_.n_classes; ++c) result.sums[c] += map_.counts[i * map_.n_classes + c];
        double inside = 0.0;
        for (const Count count : result.sums) {
            result.total += count;
            result.present += count > 0.0;
            inside += n_log_n(count);
        }
        if (result.present > 1) result.entropy = (n_log_n(result.total) - inside) / result.total;
        return result;
    }

    // log2(3^k - 2), where 3^k itself would overflow for k > 646.
    static double log2_3k_minus_2(int k) {
        return k * std::log2(3.0) + std::log1p(-2.0 * std::pow(3.0, -k)) / std::log(2.0);
    }

    // The midpoint, or the lower value where rounding would not keep that below the upper one.
    static double between(double low, double high) {
        const double middle = low / 2 + high / 2;
        return middle < high ? middle : low;
    }

    const MapView& map_;
};

}  // namespace

ValueMap value_map(const Column& column, const Class* classes, std::size_t n_classes, const Count* weights) {
    Gathering gathering(n_classes);
    std::vector<Count> missing(n_classes, 0.0);
    std::visit(
        [&](const auto& reader) {
            for (std::size_t row = 0; row < column.rows; ++row) {
                if (row % kBetweenCheckpoints == 0) checkpoint();
                const Count weight = weights ? weights[row] : 1.0;
                if (weight == 0.0) continue;
                const auto cls = static_cast<std::size_t>(classes[row]);
                const double value = as_double(reader[row]);
                if (std::isnan(value))
                    missing[cls] += weight;
                else
                    gathering.add(value, cls, weight);
            }
        },
        column.reader);
    return std::move(gathering).finish(std::move(missing));
}

std::vector<double> mdlp_cuts(const MapView& map) { return Mdlp(map).cuts(); }

}  // namespace savvybayes
