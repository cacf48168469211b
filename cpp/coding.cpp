#include "coding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "keys.h"
#include "pool.h"

namespace savvybayes {
namespace {

constexpr std::size_t kBetweenCheckpoints = std::size_t{1} << 18;  // rows: some milliseconds

// How many of the rising numbers lie below the value. Free of branches: data are hard to predict.
std::size_t count_below(std::span<const double> numbers, double value) {
    if (numbers.empty()) return 0;
    const double* base = numbers.data();
    std::size_t size = numbers.size();
    while (size > 1) {
        const std::size_t half = size / 2;
        base += (base[half - 1] < value) * half;
        size -= half;
    }
    return static_cast<std::size_t>(base - numbers.data()) + (*base < value);
}

// The values seen so far: small whole numbers, the most frequent kind, by a table, others by an index of keys.
class Seen {
  public:
    void add(double value) {
        if (value >= kBegin && value < kEnd) {
            const int whole = static_cast<int>(value);
            if (whole == value) {
                small_[static_cast<std::size_t>(whole - kBegin)] = 1;
                return;
            }
        }
        index_.number_of(key_of(value));
    }

    std::vector<double> values() const {
        std::vector<double> all;
        for (int i = 0; i < kEnd - kBegin; ++i)
            if (small_[static_cast<std::size_t>(i)]) all.push_back(i + kBegin);
        for (const Key key : index_.keys()) all.push_back(value_of(key));
        std::sort(all.begin(), all.end());
        return all;
    }

  private:
    // All that fits into 16 bits, signed or not.
    static constexpr int kBegin = -(1 << 15);
    static constexpr int kEnd = 1 << 16;

    std::vector<std::uint8_t> small_ = std::vector<std::uint8_t>(kEnd - kBegin, 0);
    KeyIndex index_;
};

}  // namespace

Distinct distinct(const Column& column, const Count* weights) {
    Seen seen;
    bool missing = false;
    bool exact = true;
    std::visit(
        [&](const auto& reader) {
            using Value = typename std::remove_cvref_t<decltype(reader)>::Value;
            if constexpr (std::is_same_v<Value, std::uint8_t>) {
                bool present[256] = {};
                for (std::size_t row = 0; row < column.rows; ++row)
                    if (!weights || weights[row] != 0.0) present[reader[row]] = true;
                for (int value = 0; value < 256; ++value)
                    if (present[value]) seen.add(value);
                return;
            }
            for (std::size_t row = 0; row < column.rows; ++row) {
                if (row % kBetweenCheckpoints == 0) checkpoint();
                if (weights && weights[row] == 0.0) continue;
                const auto value = reader[row];
                const double number = as_double(value);
                if (std::isnan(number)) {
                    missing = true;
                    continue;
                }
                exact &= is_exact(value);
                seen.add(number);
            }
        },
        column.reader);
    return {seen.values(), missing, exact};
}

template <typename Code>
Digitiser<Code>::Digitiser(std::span<const double> cuts, std::span<const Code> codes) : cuts_(cuts), codes_(codes) {
    for (int value = 0; value < 256; ++value) of_bytes_[static_cast<std::size_t>(value)] = codes[count_below(cuts, value)];
}

template <typename Code>
void Digitiser<Code>::code(const Column& column, std::size_t begin, std::size_t end, Code* out) const {
    std::visit(
        [&](const auto& reader) {
            if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(reader)>::Value, std::uint8_t>) {
                for (std::size_t row = begin; row < end; ++row) out[row] = of_bytes_[reader[row]];
                return;
            }
            for (std::size_t row = begin; row < end; ++row) {
                const double value = as_double(reader[row]);
                out[row] = std::isnan(value) ? codes_.back() : codes_[count_below(cuts_, value)];
            }
        },
        column.reader);
}

template <typename Code>
LookUp<Code>::LookUp(std::span<const double> values, std::span<const Code> codes) : values_(values), codes_(codes) {
    of_bytes_.fill(codes[values.size() + 1]);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] >= 0 && values[i] < 256 && std::trunc(values[i]) == values[i])
            of_bytes_[static_cast<std::size_t>(values[i])] = codes[i];

    constexpr double kMostEntries = 1 << 16;
    constexpr double kExact = 1LL << 53;  // below it no integer is rounded to another
    const auto whole = [](double value) { return std::abs(value) < kExact && std::trunc(value) == value; };
    if (values.empty() || !std::all_of(values.begin(), values.end(), whole)) return;
    const double span = values.back() - values.front();
    if (span >= kMostEntries) return;
    table_.assign(static_cast<std::size_t>(span) + 1, codes.back());
    for (std::size_t i = 0; i < values.size(); ++i) table_[static_cast<std::size_t>(values[i] - values[0])] = codes[i];
}

template <typename Code>
void LookUp<Code>::code(const Column& column, std::size_t begin, std::size_t end, Code* out) const {
    const Code missing = codes_[values_.size()];
    const Code unknown = codes_[values_.size() + 1];

    const auto by_table = [&](auto number) {
        const double value = as_double(number);
        if (std::isnan(value)) return missing;
        if (!(value >= values_.front() && value <= values_.back())) return unknown;
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) != value) return unknown;
        return table_[static_cast<std::size_t>(whole - static_cast<std::int64_t>(values_.front()))];
    };
    const auto by_search = [&](auto number) {
        const double value = as_double(number);
        if (std::isnan(value)) return missing;
        const std::size_t i = count_below(values_, value);
        return i < values_.size() && values_[i] == value && is_exact(number) ? codes_[i] : unknown;
    };
    const auto code_all = [&](const auto& reader, const auto& code_of) {
        for (std::size_t row = begin; row < end; ++row) out[row] = code_of(reader[row]);
    };
    std::visit(
        [&](const auto& reader) {
            if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(reader)>::Value, std::uint8_t>)
                for (std::size_t row = begin; row < end; ++row) out[row] = of_bytes_[reader[row]];
            else
                table_.empty() ? code_all(reader, by_search) : code_all(reader, by_table);
        },
        column.reader);
}

template class Digitiser<Narrow>;
template class Digitiser<Wide>;
template class LookUp<Narrow>;
template class LookUp<Wide>;

}  // namespace savvybayes
