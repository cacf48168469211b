// The grid on which quantities are compared, so that ties are ties whatever the order of additions was.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace savvybayes {

// The nearest multiple of 2^-40, then its 30 leading significant bits; halves go to even both times.
//
// Neighbouring grid points are at least 1e-9 of their size apart, sums of logarithms are good to 1e-12: equal
// quantities meet. Unlike a tolerance, comparing on a grid is an ordering.
inline double grid(double value) {
    // Doubles in [2^12, 2^13) are the multiples of 2^-40: adding 2^12 rounds to one. Larger ones are multiples already.
    constexpr double kShift = 4096.0;
    const double size = std::abs(value);
    const double multiple = size < kShift ? (size + kShift) - kShift : size;

    // A double has 53 significant bits; a carry out of the 30 kept moves into the exponent, as it should.
    constexpr int kDropped = 53 - 30;
    constexpr std::uint64_t kBelowHalf = (std::uint64_t{1} << (kDropped - 1)) - 1;
    auto bits = std::bit_cast<std::uint64_t>(multiple);
    bits += kBelowHalf + ((bits >> kDropped) & 1);
    bits &= ~((std::uint64_t{1} << kDropped) - 1);
    return std::copysign(std::bit_cast<double>(bits), value);
}

}  // namespace savvybayes
