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

}  // namespace

constinit const CompactKernels kPlainCompact{narrow, narrow, narrow};

}  // namespace savvybayes
