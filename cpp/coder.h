// Columns and coders as Python hands them over. Included by the bindings alone.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "arrays.h"
#include "coding.h"
#include "columns.h"

namespace savvybayes {

inline AnyReader any_reader(const Any1D& array) {
    const nb::dlpack::dtype type = array.dtype();
    if (type == nb::dtype<bool>()) return reader<std::uint8_t>(array);
    if (type == nb::dtype<std::int8_t>()) return reader<std::int8_t>(array);
    if (type == nb::dtype<std::int16_t>()) return reader<std::int16_t>(array);
    if (type == nb::dtype<std::int32_t>()) return reader<std::int32_t>(array);
    if (type == nb::dtype<std::int64_t>()) return reader<std::int64_t>(array);
    if (type == nb::dtype<std::uint8_t>()) return reader<std::uint8_t>(array);
    if (type == nb::dtype<std::uint16_t>()) return reader<std::uint16_t>(array);
    if (type == nb::dtype<std::uint32_t>()) return reader<std::uint32_t>(array);
    if (type == nb::dtype<std::uint64_t>()) return reader<std::uint64_t>(array);
    if (type == nb::dtype<float>()) return reader<float>(array);
    if (type == nb::dtype<double>()) return reader<double>(array);
    throw std::invalid_argument("a column must be of integers, float32, float64 or bool");
}

// How a column is coded: the numbers it is compared with, and the codes to give.
struct Coder {
    bool bins;  // numbers are cut points; otherwise they are the known values
    std::vector<double> numbers;
    std::variant<std::vector<Narrow>, std::vector<Wide>> codes;
};

// The coder in an object of Python's, which keeps it: what held that object may let go of it while the GIL is released.
inline const Coder& coder_in(const nb::object& object) {
    const Coder* coder = nullptr;
    if (!nb::try_cast(object, coder, false) || !coder) throw nb::type_error("a coder is missing");
    return *coder;
}

using AnyCoding = std::variant<Digitiser<Narrow>, Digitiser<Wide>, LookUp<Narrow>, LookUp<Wide>>;

inline AnyCoding coding_of(const Coder& coder) {
    return std::visit(
        [&](const auto& codes) -> AnyCoding {
            using Code = typename std::remove_cvref_t<decltype(codes)>::value_type;
            if (coder.bins) return Digitiser<Code>(coder.numbers, codes);
            return LookUp<Code>(coder.numbers, codes);
        },
        coder.codes);
}

}  // namespace savvybayes
