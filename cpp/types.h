// The dtypes of the kernels, each once, with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace savvybayes {

// Codes of an attribute with at most 255 seen values; the code after the last seen value is "unknown".
using Narrow = std::uint8_t;

// Codes of an attribute with at most 65,535 seen values, "unknown" likewise.
using Wide = std::uint16_t;

// The index of a class.
using Class = std::int32_t;

// The index of a cell inside one table: no table of 2^32 cells is ever allocated.
using Cell = std::uint32_t;

// Sums of weights. Whole numbers are exact in it up to 2^53, whatever the order they are added in,
// so that one type serves plain counts, whole-numbered and fractional weights.
using Count = double;

}  // namespace savvybayes
