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

// Long columns are gathered in two parts where they are too few to be shared among threads: a column of many values
// costs up to twice as much in parts, for both of them are squeezed, and then their sum.
constexpr std::size_t kPartRows = std::size_t{1} << 18;
constexpr std::size_t kMostParts = 2;
constexpr std::size_t kFewColumns = 4;

// Of more classes the maps of parts would be large.
constexpr std::size_t kMostClasses = 32;

// Columns whose parts are kept at the same time.
constexpr std::size_t kColumnsAtOnce = 16;

// A value map in the making. It may hold up to twice the keys of a finished one, so that it is seldom squeezed.
class Gathering {
  public:
    explicit Gathering(std::size_t n_classes) : n_classes_(n_classes), missing_(n_classes, 0.0) {}

    void add(double value, std::size_t cls, Count weight) {
        if (std::isnan(value)) {
            missing_[cls] += weight;
            return;
        }
        record_of(key_of(value) >> level_, value, value)[kCounts + cls] += weight;
        if (index_.keys().size() > 2 * kMostKeys) squeeze(0);
    }

    void add(const Gathering& other) {
        for (std::size_t c = 0; c < n_classes_; ++c) missing_[c] += other.missing_[c];
        if (other.level_ > level_) squeeze(other.level_ - level_);
        const std::vector<Key>& keys = other.index_.keys();
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const double* from = other.records_.data() + i * width();
            double* to = record_of(keys[i] >> (level_ - other.level_), from[kLeast], from[kGreatest]);
            for (std::size_t c = 0; c < n_classes_; ++c) to[kCounts + c] += from[kCounts + c];
            if (index_.keys().size() > 2 * kMostKeys) squeeze(0);  // which may raise the level
        }
    }

    ValueMap finish() && {
        squeeze(0);
        ValueMap map{level_, {}, {}, {}, std::move(missing_)};
        for (auto record = records_.begin(); record != records_.end(); record += static_cast<std::ptrdiff_t>(width())) {
            map.least.push_back(record[kLeast]);
            map.greatest.push_back(record[kGreatest]);
            map.counts.insert(map.counts.end(), record + kCounts, record + static_cast<std::ptrdiff_t>(width()));
        }
        return map;
    }

  private:
    // A key's record: its least and its greatest value, then the weight of each class, side by side in the cache.
    static constexpr std::size_t kLeast = 0, kGreatest = 1, kCounts = 2;

    std::size_t width() const { return kCounts + n_classes_; }

    // The record of a key, which now has these values, too.
    double* record_of(Key key, double least, double greatest) {
        const std::size_t i = index_.number_of(key);
        if (i * width() == records_.size()) {
            records_.resize(records_.size() + width(), 0.0);
            records_[i * width() + kLeast] = least;
            records_[i * width() + kGreatest] = greatest;
        }
        double* record = records_.data() + i * width();
        record[kLeast] = std::min(record[kLeast], least);
        record[kGreatest] = std::max(record[kGreatest], greatest);
        return record;
    }

    // Sorts the keys, and drops at least so many of their low bits, until they are few enough.
    void squeeze(int least_drop) {
        const std::vector<Key>& keys = index_.keys();
        std::vector<std::pair<Key, std::uint32_t>> order(keys.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {keys[i], i};
        std::sort(order.begin(), order.end());
        const int drop = std::max(bits_to_drop(order), least_drop);

        Gathering squeezed(n_classes_);
        for (const auto& [key, i] : order) {
            const double* from = records_.data() + i * width();
            double* to = squeezed.record_of(key >> drop, from[kLeast], from[kGreatest]);
            for (std::size_t c = 0; c < n_classes_; ++c) to[kCounts + c] += from[kCounts + c];
        }
        level_ += drop;
        index_ = std::move(squeezed.index_);
        records_ = std::move(squeezed.records_);
    }

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
    std::vector<double> records_;
    std::vector<Count> missing_;
};

// Adds the rows [begin, end) of a column.
void gather(const Column& column, std::size_t begin, std::size_t end, const Class* classes, const Count* weights,
            Gathering& gathering) {
    std::visit(
        [&](const auto& reader) {
            for (std::size_t row = begin; row < end; ++row) {
                if (row % kBetweenCheckpoints == 0) checkpoint();
                const Count weight = weights ? weights[row] : 1.0;
                if (weight != 0.0) gathering.add(as_double(reader[row]), static_cast<std::size_t>(classes[row]), weight);
            }
        },
        column.reader);
}

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

std::vector<ValueMap> value_maps(std::span<const Column> columns, const Class* classes, std::size_t n_classes,
                                 const Count* weights) {
    // How many parts depends on the table alone: sums of fractional weights are the same for all threads.
    const std::size_t rows = columns.empty() ? 0 : columns.front().rows;
    const bool undivided = n_classes > kMostClasses || columns.size() > kFewColumns;
    const std::size_t parts = undivided ? 1 : std::clamp<std::size_t>(rows / kPartRows, 1, kMostParts);
    std::vector<ValueMap> maps(columns.size());
    for (std::size_t first = 0; first < columns.size(); first += kColumnsAtOnce) {
        const std::size_t count = std::min(kColumnsAtOnce, columns.size() - first);
        std::vector<Gathering> gatherings(count * parts, Gathering(n_classes));
        parallel(gatherings.size(), [&](std::size_t task) {
            const std::size_t part = task % parts;
            gather(columns[first + task / parts], rows * part / parts, rows * (part + 1) / parts, classes, weights,
                   gatherings[task]);
        });
        parallel(count, [&](std::size_t i) {
            Gathering& whole = gatherings[i * parts];
            for (std::size_t part = 1; part < parts; ++part) whole.add(gatherings[i * parts + part]);
            maps[first + i] = std::move(whole).finish();
        });
    }
    return maps;
}

std::vector<double> mdlp_cuts(const MapView& map) { return Mdlp(map).cuts(); }

}  // namespace savvybayes
