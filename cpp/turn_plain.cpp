#include "turn.h"

namespace savvybayes {
namespace {

void turn(const std::uint8_t* from, std::ptrdiff_t row_stride, std::uint8_t* to, std::size_t column_stride) {
    for (std::size_t c = 0; c < kTurned; ++c)
        for (std::size_t r = 0; r < kTurned; ++r)
            to[c * column_stride + r] = from[static_cast<std::ptrdiff_t>(r) * row_stride + static_cast<std::ptrdiff_t>(c)];
}

}  // namespace

constinit const TurnKernels kPlainTurn{turn};

}  // namespace savvybayes
