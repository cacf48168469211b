// NumPy arrays as the kernels' types, and back. Included by the bindings alone.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
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

// An array of just this type of numbers, laid out anew where that is needed: a cast would bend numbers into range.
template <typename Array>
Array exactly(const nb::object& object) {
    nb::ndarray<nb::ro, nb::device::cpu> any;
    if (!nb::try_cast(object, any, false)) throw nb::type_error("an array of numbers is needed");
    if (any.dtype() != nb::dtype<std::remove_const_t<typename Array::Scalar>>())
        throw nb::type_error("an array of another type of numbers is needed");
    Array array;
    if (!nb::try_cast(object, array)) throw nb::type_error("an array of another shape is needed");
    return array;
}

template <typename Array>
std::optional<Array> exactly_or_none(const nb::object& object) {
    if (object.is_none()) return std::nullopt;
    return exactly<Array>(object);
}

// A vector given to Python, which frees it.
template <typename T>
nb::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {owned->size()};
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

// What keeps a buffer's memory as long as Python has an array of it.
template <typename T>
nb::capsule owner_of(Buffer<T> buffer) {
    auto* kept = new Buffer<T>(std::move(buffer));
    return nb::capsule(kept, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
}

// Zeros that the operating system hands over when they are first touched.
inline std::pair<double*, nb::object> zeros(const std::vector<std::size_t>& shape) {
    std::size_t size = 1;
    for (const std::size_t length : shape) size *= length;
    auto* data = static_cast<double*>(std::calloc(size ? size : 1, sizeof(double)));
    if (!data) throw std::bad_alloc();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return {data, nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner))};
}

void bind_columns(nb::module_& m);

}  // namespace savvybayes
