// Integers that fit into a byte, column by column: an eighth of the memory, and look-ups of 256 entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace savvybayes {

// Rows of adjacent integers, `stride` integers apart.
template <typename T>
struct Rows {
    const T* first;
    std::ptrdiff_t stride;
    std::size_t rows, columns;
};

// Writes each column of which all values are among 0..255 to out + column * rows, and tells which are.
// What is written for others is of no meaning. Reads the integers once.
template <typename T>
std::vector<char> to_bytes(const Rows<T>& source, std::uint8_t* out);

}  // namespace savvybayes
