#include "compact.h"

namespace savvybayes {
namespace {

template <typename T>
std::uint64_t narrow(const T* from, std::size_t count, std::uint8_t* to) {
    T bits = 0;
    for (std::size_t i = 0; i < count; ++i) {
        bits = static_cast<T>(bits | from[i]);
        to[i] = static_cast<std::uint8_t>(from[i]);
    }
    return bits;
}

bool narrow_doubles(const double* from, std::size_t count, std::uint8_t* to) {
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) {
        const bool inside = from[i] >= 0.0 && from[i] <= 255.0;  // false of NaN
        to[i] = inside ? static_cast<std::uint8_t>(from[i]) : std::uint8_t{0};
        all &= to[i] == from[i];
    }
    return all;
}

}  // namespace

constinit const CompactKernels kPlainCompact{narrow, narrow, narrow, narrow_doubles};

}  // namespace savvybayes
