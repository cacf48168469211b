// NumPy arrays as the kernels' types, and back. Included by the bindings alone.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "columns.h"
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

// A vector given to Python, which frees it.
template <typename T>
nb::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {owned->size()};
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
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

// Optional weights of so many rows, as the kernels take them.
const Count* weights_of(const std::optional<Double1D>& weights, std::size_t rows);

void bind_columns(nb::module_& m);

}  // namespace savvybayes
