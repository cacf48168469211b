#include "coding.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

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

// Bytes whose codes are consecutive, too: below the first one they wrap, and are unknown as those beyond the last.
void subtract(const std::uint8_t* bytes, std::size_t begin, std::size_t end, std::uint8_t first, Narrow unknown,
              Narrow* out) {
    for (std::size_t row = begin; row < end; ++row)
        out[row - begin] = std::min(static_cast<Narrow>(bytes[row] - first), unknown);
}

// The values seen so far: small whole numbers, the most frequent kind, by a table, others by an index of keys.
class Seen {
  public:
    // Notes an integer, and tells whether it is a small one; others are not noted.
    template <std::integral T>
    bool add_small(T value) {
        if (std::cmp_less(value, kBegin) || std::cmp_greater_equal(value, kEnd)) return false;
        small_[static_cast<std::size_t>(static_cast<std::int64_t>(value) - kBegin)] = 1;
        return true;
    }

    void add(double value) {
        if (value >= kBegin && value < kEnd && std::trunc(value) == value)
            add_small(static_cast<int>(value));
        else
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

// The greatest byte is found at the speed of memory. Most often all below it occur, and some thousand rows show that.
std::vector<double> distinct_bytes(const Reader<std::uint8_t>& reader, std::size_t rows) {
    constexpr std::size_t kRun = 4096;
    std::uint8_t greatest = 255;
    if (reader.stride == 1 && rows > 0) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(reader.first);
        greatest = 0;
        for (std::size_t row = 0; row < rows; ++row) greatest = std::max(greatest, bytes[row]);
    }
    std::array<bool, 256> present{};
    std::size_t lowest = 0;  // all below it occur
    for (std::size_t begin = 0; begin < rows && lowest <= greatest; begin += kRun) {
        for (std::size_t row = begin; row < std::min(begin + kRun, rows); ++row) present[reader[row]] = true;
        while (lowest <= greatest && present[lowest]) ++lowest;
    }
    std::vector<double> values;
    for (std::size_t value = 0; value < present.size(); ++value)
        if (present[value]) values.push_back(static_cast<double>(value));
    return values;
}

}  // namespace

Distinct distinct(const Column& column) {
    if (const auto* bytes = std::get_if<Reader<std::uint8_t>>(&column.reader))
        return {distinct_bytes(*bytes, column.rows), false, true};
    Seen seen;
    bool missing = false;
    bool exact = true;
    const auto see = [&](auto value) {
        if constexpr (std::is_integral_v<decltype(value)>) {
            if (seen.add_small(value)) return;
            exact &= is_exact(value);
        }
        const double number = as_double(value);
        if (std::isnan(number))
            missing = true;
        else
            seen.add(number);
    };
    std::visit(
        [&](const auto& reader) {
            for (std::size_t row = 0; row < column.rows; ++row) {
                if (row % kBetweenCheckpoints == 0) checkpoint();
                see(reader[row]);
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
                for (std::size_t row = begin; row < end; ++row) *out++ = of_bytes_[reader[row]];
                return;
            }
            for (std::size_t row = begin; row < end; ++row) {
                const double value = as_double(reader[row]);
                *out++ = std::isnan(value) ? codes_.back() : codes_[count_below(cuts_, value)];
            }
        },
        column.reader);
}

template <typename Code>
LookUp<Code>::LookUp(std::span<const double> values, std::span<const Code> codes) : values_(values), codes_(codes) {
    constexpr double kMostEntries = 1 << 16;
    constexpr double kExact = 1LL << 53;  // below it no integer is rounded to another
    const auto whole = [](double value) { return std::abs(value) < kExact && std::trunc(value) == value; };
    if (values.empty() || !std::all_of(values.begin(), values.end(), whole)) return;
    const double span = values.back() - values.front();
    if (span >= kMostEntries) return;
    first_ = static_cast<std::int64_t>(values.front());
    last_ = static_cast<std::int64_t>(values.back());
    table_.assign(static_cast<std::size_t>(span) + 1, codes.back());
    for (std::size_t i = 0; i < values.size(); ++i) table_[static_cast<std::size_t>(values[i] - values[0])] = codes[i];
    consecutive_ = table_.size() == codes.back();
    for (std::size_t i = 0; i < table_.size(); ++i) consecutive_ &= table_[i] == i;
}

template <typename Code>
void LookUp<Code>::code(const Column& column, std::size_t begin, std::size_t end, Code* out) const {
    const Code missing = codes_[values_.size()];
    const Code unknown = codes_[values_.size() + 1];

    const auto by_search = [&](auto number) {
        const double value = as_double(number);
        if (std::isnan(value)) return missing;
        const std::size_t i = count_below(values_, value);
        return i < values_.size() && values_[i] == value && is_exact(number) ? codes_[i] : unknown;
    };
    // A difference of integers may wrap: neither an integer below the first value nor one beyond the last comes so far.
    const auto by_place = [&](std::uint64_t place) { return place < table_.size() ? table_[place] : unknown; };
    const auto by_table = [&](auto number) {
        if constexpr (std::is_integral_v<decltype(number)>) {
            if (std::cmp_less(number, first_) || std::cmp_greater(number, last_)) return unknown;
            return by_place(static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(first_));
        } else {
            const double value = as_double(number);
            if (std::isnan(value)) return missing;
            if (!(value >= values_.front() && value <= values_.back()) || std::trunc(value) != value) return unknown;
            return by_place(static_cast<std::uint64_t>(static_cast<std::int64_t>(value) - first_));
        }
    };
    std::visit(
        [&](const auto& reader) {
            using Value = typename std::remove_cvref_t<decltype(reader)>::Value;
            if constexpr (std::is_same_v<Code, Narrow>) {
                if constexpr (std::is_same_v<Value, std::uint8_t>) {
                    if (consecutive_ && reader.stride == 1 && first_ >= 0 && first_ + unknown <= 256)
                        return subtract(reinterpret_cast<const std::uint8_t*>(reader.first), begin, end,
                                        static_cast<std::uint8_t>(first_), unknown, out);
                }
            }
            if (table_.empty())
                for (std::size_t row = begin; row < end; ++row) *out++ = by_search(reader[row]);
            else
                for (std::size_t row = begin; row < end; ++row) *out++ = by_table(reader[row]);
        },
        column.reader);
}

template class Digitiser<Narrow>;
template class Digitiser<Wide>;
template class LookUp<Narrow>;
template class LookUp<Wide>;

}  // namespace savvybayes
