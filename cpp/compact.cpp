#include "compact.h"

#include <algorithm>
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
            for (std::size_t j = 0; j < source.columns; ++j)
                for (std::size_t row = begin; row < end; ++row)
                    out[j * source.rows + row] = bytes[(row - begin) * source.columns + j];
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
