#include "compact.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "instructions.h"
#include "memory.h"
#include "pool.h"
#include "turn.h"

namespace savvybayes {

const CompactKernels& compact_kernels() {
#if defined(__x86_64__)
    return of_this_machine(kPlainCompact, kAvx2Compact, kAvx512Compact);
#else
    return of_this_machine(kPlainCompact);
#endif
}

const TurnKernels& turn_kernels() {
#if defined(__x86_64__)
    return of_this_machine(kPlainTurn, kAvx2Turn);
#else
    return of_this_machine(kPlainTurn);
#endif
}

namespace {

// Rows that are narrowed together, and then turned by columns: the bytes of some hundred columns stay in the cache.
constexpr std::size_t kTile = 128;
constexpr std::size_t kTilesPerTask = 32;

template <typename T>
bool fits(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value >= 0 && value <= 255 && std::trunc(value) == value;
    else
        return static_cast<std::uint64_t>(value) <= 255;
}

// Writes numbers of any type as bytes, and tells whether all fit.
template <typename T>
bool narrow(const T* from, std::size_t count, std::uint8_t* to) {
    const CompactKernels& kernels = compact_kernels();
    if constexpr (std::is_same_v<T, double>) {
        return kernels.narrow_doubles(from, count, to);
    } else if constexpr (sizeof(T) == 1) {
        std::memcpy(to, from, count);
        return std::is_unsigned_v<T> || std::all_of(from, from + count, fits<T>);
    } else {
        using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::make_unsigned_t<T>>;
        const auto* bits = reinterpret_cast<const Bits*>(from);
        if constexpr (sizeof(T) == 8) return kernels.narrow64(bits, count, to) <= 255;
        if constexpr (sizeof(T) == 4) return kernels.narrow32(bits, count, to) <= 255;
        if constexpr (sizeof(T) == 2) return kernels.narrow16(bits, count, to) <= 255;
    }
}

// The columns of which a value among some rows does not fit.
template <typename T>
void mark_misfits(const Rows<T>& source, std::size_t begin, std::size_t end, char* misfits) {
    for (std::size_t row = begin; row < end; ++row) {
        const T* values = source.first + source.stride * static_cast<std::ptrdiff_t>(row);
        for (std::size_t j = 0; j < source.columns; ++j)
            if (!fits(values[j])) misfits[j] = 1;
    }
}

// Writes rows of bytes, which are `pitch` apart, to columns that are `stride` apart. Of fewer than kTurned columns,
// kTurned bytes are read in each row all the same.
void write_columns(const std::uint8_t* bytes, std::ptrdiff_t pitch, std::size_t rows, std::size_t columns,
                   std::uint8_t* out, std::size_t stride) {
    const auto turn = turn_kernels().turn;
    std::size_t row = 0;
    for (; row + kTurned <= rows; row += kTurned, bytes += pitch * static_cast<std::ptrdiff_t>(kTurned)) {
        if (columns < kTurned) {
            std::uint8_t turned[kTurned * kTurned];
            turn(bytes, pitch, turned, kTurned);
            for (std::size_t j = 0; j < columns; ++j) std::memcpy(out + j * stride + row, turned + j * kTurned, kTurned);
        }
        for (std::size_t j = 0; j < columns && columns >= kTurned; j += kTurned) {
            const std::size_t at = std::min(j, columns - kTurned);  // the last square may meet others twice
            turn(bytes + at, pitch, out + at * stride + row, stride);
        }
    }
    for (; row < rows; ++row, bytes += pitch)
        for (std::size_t j = 0; j < columns; ++j) out[j * stride + row] = bytes[j];
}

}  // namespace

template <typename T>
std::vector<char> to_bytes(const Rows<T>& source, std::uint8_t* out) {
    const std::size_t tiles = (source.rows + kTile - 1) / kTile;
    const std::size_t tasks = (tiles + kTilesPerTask - 1) / kTilesPerTask;
    const auto pitch = static_cast<std::ptrdiff_t>(source.columns);
    std::vector<char> misfits(tasks * source.columns, 0);
    parallel(tasks, [&](std::size_t task) {
        Buffer<std::uint8_t> bytes(kTile * source.columns);
        for (std::size_t tile = task * kTilesPerTask; tile < std::min((task + 1) * kTilesPerTask, tiles); ++tile) {
            const std::size_t begin = tile * kTile;
            const std::size_t end = std::min(begin + kTile, source.rows);
            const T* first = source.first + source.stride * static_cast<std::ptrdiff_t>(begin);
            if (std::is_same_v<T, std::uint8_t> && source.columns >= kTurned) {
                write_columns(reinterpret_cast<const std::uint8_t*>(first), source.stride, end - begin, source.columns,
                              out + begin, source.rows);
                continue;
            }
            bool all_fit = true;
            if (source.stride == pitch)
                all_fit = narrow(first, (end - begin) * source.columns, bytes.data());
            else
                for (std::size_t row = 0; row < end - begin; ++row)
                    all_fit &= narrow(first + source.stride * static_cast<std::ptrdiff_t>(row), source.columns,
                                      bytes.data() + row * source.columns);
            if (!all_fit) mark_misfits(source, begin, end, misfits.data() + task * source.columns);
            write_columns(bytes.data(), pitch, end - begin, source.columns, out + begin, source.rows);
        }
    });
    std::vector<char> fits(source.columns, 1);
    for (std::size_t task = 0; task < tasks; ++task)
        for (std::size_t j = 0; j < source.columns; ++j)
            if (misfits[task * source.columns + j]) fits[j] = 0;
    return fits;
}

template std::vector<char> to_bytes(const Rows<double>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::int8_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::int16_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::int32_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::int64_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::uint8_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::uint16_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::uint32_t>&, std::uint8_t*);
template std::vector<char> to_bytes(const Rows<std::uint64_t>&, std::uint8_t*);

}  // namespace savvybayes
