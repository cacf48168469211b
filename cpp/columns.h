// A user's column of numbers, read as what it is: any real type, any stride, never written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

namespace savvybayes {

// The values of one type, `stride` bytes apart, possibly unaligned.
template <typename T>
struct Reader {
    using Value = T;

    const std::byte* first;
    std::ptrdiff_t stride;

    T operator[](std::size_t row) const {
        T value;
        std::memcpy(&value, first + stride * static_cast<std::ptrdiff_t>(row), sizeof value);
        return value;
    }
};

using AnyReader = std::variant<Reader<std::int8_t>, Reader<std::int16_t>, Reader<std::int32_t>, Reader<std::int64_t>,
                               Reader<std::uint8_t>, Reader<std::uint16_t>, Reader<std::uint32_t>,
                               Reader<std::uint64_t>, Reader<float>, Reader<double>>;

struct Column {
    AnyReader reader;
    std::size_t rows;
};

// A value as the double nearest to it; -0.0 is 0.0, and NaN, the missing value, stays NaN.
template <typename T>
double as_double(T value) {
    return static_cast<double>(value) + 0.0;
}

// Whether the double nearest to the value is the value: false for some integers beyond 2^53.
template <typename T>
bool is_exact(T value) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        // The greatest T rounds to a power of two that is not a T: it may not be converted back.
        constexpr double kEnd = static_cast<double>(std::numeric_limits<T>::max());
        const double nearest = static_cast<double>(value);
        return nearest < kEnd && static_cast<T>(nearest) == value;
    } else {
        return true;
    }
}

}  // namespace savvybayes
