#include "compact.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "pool.h"

namespace savvybayes {
namespace {

// Rows that are narrowed together, and then turned by columns: the bytes of some hundred columns stay in the cache.
constexpr std::size_t kTile = 128;
constexpr std::size_t kTilesPerTask = 32;

// Narrows the rows [begin, end), one after the other, and notes in `high` the bits beyond a byte that a column has.
template <typename T>
void narrow(const Rows<T>& source, std::size_t begin, std::size_t end, std::uint8_t* bytes, T* high) {
    using Bits = std::make_unsigned_t<T>;
    for (std::size_t row = begin; row < end; ++row) {
        const T* values = source.first + source.stride * static_cast<std::ptrdiff_t>(row);
        for (std::size_t j = 0; j < source.columns; ++j) {
            high[j] = static_cast<T>(high[j] | values[j]);
            bytes[j] = static_cast<std::uint8_t>(static_cast<Bits>(values[j]));
        }
        bytes += source.columns;
    }
}

// Turns eight words of eight bytes: byte c of word r becomes byte r of word c. Squares of 4, 2 and 1 bytes change places.
void turn(std::array<std::uint64_t, 8>& x) {
    const auto swap = [&x](std::size_t i, std::size_t j, int shift, std::uint64_t mask) {
        const std::uint64_t other = ((x[i] >> shift) ^ x[j]) & mask;
        x[j] ^= other;
        x[i] ^= other << shift;
    };
    for (const std::size_t i : {0, 1, 2, 3}) swap(i, i + 4, 32, 0x00000000FFFFFFFFu);
    for (const std::size_t i : {0, 1, 4, 5}) swap(i, i + 2, 16, 0x0000FFFF0000FFFFu);
    for (const std::size_t i : {0, 2, 4, 6}) swap(i, i + 1, 8, 0x00FF00FF00FF00FFu);
}

// Writes the bytes of a tile, row after row, to columns that are `stride` bytes apart.
void write_columns(const std::uint8_t* bytes, std::size_t rows, std::size_t columns, std::uint8_t* out,
                   std::size_t stride) {
    std::size_t row = 0;
    if (std::endian::native == std::endian::little && columns >= 8) {
        for (; row + 8 <= rows; row += 8) {
            for (std::size_t j = 0; j < columns; j += 8) {
                const std::size_t at = std::min(j, columns - 8);  // the last eight may meet others twice
                std::array<std::uint64_t, 8> square;
                for (std::size_t r = 0; r < 8; ++r) std::memcpy(&square[r], bytes + (row + r) * columns + at, 8);
                turn(square);
                for (std::size_t c = 0; c < 8; ++c) std::memcpy(out + (at + c) * stride + row, &square[c], 8);
            }
        }
    }
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t rest = row; rest < rows; ++rest) out[j * stride + rest] = bytes[rest * columns + j];
}

}  // namespace

template <typename T>
std::vector<char> to_bytes(const Rows<T>& source, std::uint8_t* out) {
    const std::size_t tiles = (source.rows + kTile - 1) / kTile;
    const std::size_t tasks = (tiles + kTilesPerTask - 1) / kTilesPerTask;
    std::vector<T> high(tasks * source.columns, 0);
    parallel(tasks, [&](std::size_t task) {
        std::vector<std::uint8_t> bytes(kTile * source.columns);
        T* own_high = high.data() + task * source.columns;
        for (std::size_t tile = task * kTilesPerTask; tile < std::min((task + 1) * kTilesPerTask, tiles); ++tile) {
            const std::size_t begin = tile * kTile;
            const std::size_t end = std::min(begin + kTile, source.rows);
            narrow(source, begin, end, bytes.data(), own_high);
            write_columns(bytes.data(), end - begin, source.columns, out + begin, source.rows);
        }
    });
    std::vector<char> fits(source.columns, 1);
    for (std::size_t task = 0; task < tasks; ++task)
        for (std::size_t j = 0; j < source.columns; ++j)
            if (static_cast<std::make_unsigned_t<T>>(high[task * source.columns + j]) > 255) fits[j] = 0;
    return fits;
}

template std::vector<char> to_bytes(const Rows<std::int16_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::int32_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::int64_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::uint16_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::uint32_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::uint64_t>&, std::uint8_t*);

}  // namespace savvybayes
