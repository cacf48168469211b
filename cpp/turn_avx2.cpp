// Bytes are interleaved in registers: a square is loaded and stored by whole rows.
#include <immintrin.h>

#include "turn.h"

namespace savvybayes {
namespace {

// Four times the bytes of the rows r and r + 8 are interleaved: then row and column have changed places.
void turn(const std::uint8_t* from, std::ptrdiff_t row_stride, std::uint8_t* to, std::size_t column_stride) {
    __m128i x[16], y[16];
#pragma GCC unroll 16
    for (int r = 0; r < 16; ++r) x[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + r * row_stride));
#pragma GCC unroll 2
    for (int twice = 0; twice < 2; ++twice) {
#pragma GCC unroll 8
        for (int r = 0; r < 8; ++r) {
            y[2 * r] = _mm_unpacklo_epi8(x[r], x[r + 8]);
            y[2 * r + 1] = _mm_unpackhi_epi8(x[r], x[r + 8]);
        }
#pragma GCC unroll 8
        for (int r = 0; r < 8; ++r) {
            x[2 * r] = _mm_unpacklo_epi8(y[r], y[r + 8]);
            x[2 * r + 1] = _mm_unpackhi_epi8(y[r], y[r + 8]);
        }
    }
#pragma GCC unroll 16
    for (std::size_t c = 0; c < 16; ++c) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + c * column_stride), x[c]);
}

}  // namespace

constinit const TurnKernels kAvx2Turn{turn};

}  // namespace savvybayes
