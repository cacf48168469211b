// NumPy arrays as the kernels' types, and back. Included by the bindings alone.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.h"
#include "memory.h"
#include "types.h"

namespace savvybayes {

namespace nb = nanobind;

using Any1D = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Classes1D = nb::ndarray<const Class, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Double1D = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyDoubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

template <typename Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

// A column read as what it is, wherever it begins.
template <typename T>
Reader<T> reader(const Any1D& array) {
    return {static_cast<const std::byte*>(array.data()), array.stride(0) * static_cast<std::ptrdiff_t>(sizeof(T))};
}

// False of a view into bytes, such as those of a file, that begins where no T may.
template <typename T>
bool is_aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
}

// A vector given to Python, which frees it.
template <typename T>
nb::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {owned->size()};
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

// An array of just this type of numbers, laid out anew where that is needed: a cast would bend numbers into range.
template <typename Array>
Array exactly(const nb::object& object) {
    using T = std::remove_const_t<typename Array::Scalar>;
    nb::ndarray<nb::ro, nb::device::cpu> any;
    if (!nb::try_cast(object, any, false)) throw nb::type_error("an array of numbers is needed");
    if (any.dtype() != nb::dtype<T>()) throw nb::type_error("an array of another type of numbers is needed");
    Array array;
    if (!nb::try_cast(object, array)) throw nb::type_error("an array of another shape is needed");
    if (array.size() == 0 || is_aligned<T>(array.data())) return array;
    std::vector<T> copy(array.size());
    std::memcpy(copy.data(), array.data(), array.nbytes());
    return nb::cast<Array>(to_numpy(std::move(copy), {array.shape_ptr(), array.shape_ptr() + array.ndim()}));
}

template <typename Array>
std::optional<Array> exactly_or_none(const nb::object& object) {
    if (object.is_none()) return std::nullopt;
    return exactly<Array>(object);
}

// What keeps a buffer's memory as long as Python has an array of it.
template <typename T>
nb::capsule owner_of(Buffer<T> buffer) {
    auto* kept = new Buffer<T>(std::move(buffer));
    return nb::capsule(kept, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
}

// Zeros that the operating system hands over when they are first touched.
inline std::pair<double*, nb::object> zeros(const std::vector<std::size_t>& shape) {
    constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
    std::size_t size = 1;
    for (const std::size_t length : shape) {
        if (length > 0 && size > kMost / length) throw std::invalid_argument("an answer of more than 2^60 numbers");
        size *= length;
    }
    auto* data = static_cast<double*>(std::calloc(size ? size : 1, sizeof(double)));
    if (!data) throw std::bad_alloc();
    wish_for_large_pages(data, size * sizeof(double));
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return {data, nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner))};
}

void bind_columns(nb::module_& m);

}  // namespace savvybayes
