// What Python sees of columns: their distinct values, value maps, cuts and codes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <variant>

#include "arrays.h"
#include "coder.h"
#include "coding.h"
#include "compact.h"
#include "discretize.h"
#include "pool.h"

namespace savvybayes {

using namespace nb::literals;

namespace {

// Rows that are coded together, column after column: a row-major array is then read once.
constexpr std::size_t kTile = 4096;

std::vector<Column> columns_of(const std::vector<Any1D>& arrays) {
    std::vector<Column> columns;
    for (const Any1D& array : arrays) {
        columns.push_back({any_reader(array), array.size()});
        if (array.size() != arrays.front().size()) throw std::invalid_argument("columns of different lengths");
    }
    return columns;
}

// Weights of so many rows, as the kernels take them: null for None.
const Count* checked_weights(const std::optional<Double1D>& weights, std::size_t rows) {
    if (!weights) return nullptr;
    if (weights->size() != rows) throw std::invalid_argument("one weight is needed for each row");
    for (const Count weight : span_of(*weights))
        if (!(weight >= 0.0) || std::isinf(weight)) throw std::invalid_argument("a weight must be finite and at least 0");
    return weights->data();
}

template <typename T>
nb::list bytes_of(const nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>& array) {
    if (array.size() > 0 && !is_aligned<T>(array.data())) throw std::invalid_argument("the numbers must be aligned");
    const Rows<T> source{static_cast<const T*>(array.data()), array.stride(0), array.shape(0), array.shape(1)};
    Buffer<std::uint8_t> buffer(source.rows * source.columns);
    std::uint8_t* const bytes = buffer.data();
    std::vector<char> fits;
    {
        const nb::gil_scoped_release release;
        fits = to_bytes(source, bytes);
    }
    const nb::capsule owner = owner_of(std::move(buffer));
    nb::list result;
    for (std::size_t j = 0; j < source.columns; ++j) {
        nb::object column = nb::none();
        if (fits[j])
            column = nb::cast(nb::ndarray<nb::numpy, std::uint8_t>(bytes + j * source.rows, {source.rows}, owner));
        result.append(column);
    }
    return result;
}

nb::list to_bytes_of(const nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>& array) {
    if (array.size() > 0 && array.shape(1) > 1 && array.stride(1) != 1)
        throw std::invalid_argument("the numbers of a row must be adjacent");
    const nb::dlpack::dtype type = array.dtype();
    if (type == nb::dtype<std::int8_t>()) return bytes_of<std::int8_t>(array);
    if (type == nb::dtype<std::uint8_t>()) return bytes_of<std::uint8_t>(array);
    if (type == nb::dtype<std::int16_t>()) return bytes_of<std::int16_t>(array);
    if (type == nb::dtype<std::int32_t>()) return bytes_of<std::int32_t>(array);
    if (type == nb::dtype<std::int64_t>()) return bytes_of<std::int64_t>(array);
    if (type == nb::dtype<std::uint16_t>()) return bytes_of<std::uint16_t>(array);
    if (type == nb::dtype<std::uint32_t>()) return bytes_of<std::uint32_t>(array);
    if (type == nb::dtype<std::uint64_t>()) return bytes_of<std::uint64_t>(array);
    if (type == nb::dtype<double>()) return bytes_of<double>(array);
    throw std::invalid_argument("integers of 1, 2, 4 or 8 bytes, or doubles, are needed");
}

nb::list distinct_of(const std::vector<Any1D>& arrays) {
    const std::vector<Column> columns = columns_of(arrays);
    std::vector<Distinct> found(columns.size());
    {
        const nb::gil_scoped_release release;
        parallel(columns.size(), [&](std::size_t i) { found[i] = distinct(columns[i]); });
    }
    nb::list result;
    for (Distinct& f : found) result.append(nb::make_tuple(to_numpy(std::move(f.values)), f.missing, f.exact));
    return result;
}

nb::list value_maps_of(const std::vector<Any1D>& arrays, const nb::object& py_classes, std::size_t n_classes,
                    const nb::object& py_weights) {
    const std::vector<Column> columns = columns_of(arrays);
    const auto classes = exactly<Classes1D>(py_classes);
    const auto weights = exactly_or_none<Double1D>(py_weights);
    const std::size_t rows = classes.size();
    if (!columns.empty() && columns.front().rows != rows) throw std::invalid_argument("one class is needed for each row");
    for (const Class c : span_of(classes))
        if (c < 0 || static_cast<std::size_t>(c) >= n_classes) throw std::invalid_argument("a class that is not there");
    const Count* w = checked_weights(weights, rows);
    std::vector<ValueMap> maps;
    {
        const nb::gil_scoped_release release;
        maps = value_maps(columns, classes.data(), n_classes, w);
    }
    nb::list result;
    for (ValueMap& map : maps) {
        const std::size_t keys = map.least.size();
        result.append(nb::make_tuple(map.level, to_numpy(std::move(map.least)), to_numpy(std::move(map.greatest)),
                                     to_numpy(std::move(map.counts), {keys, n_classes}),
                                     to_numpy(std::move(map.missing))));
    }
    return result;
}

using PyMap = std::tuple<Double1D, Double1D, AnyDoubles>;

nb::list mdlp_cuts_of(const std::vector<PyMap>& maps) {
    std::vector<MapView> views;
    for (const auto& [least, greatest, counts] : maps) {
        if (counts.ndim() != 2 || counts.shape(0) != least.size() || greatest.size() != least.size())
            throw std::invalid_argument("a value map needs a least value, a greatest value and counts for each key");
        views.push_back({span_of(least), span_of(greatest), span_of(counts), counts.shape(1)});
    }
    std::vector<std::vector<double>> cuts(views.size());
    {
        const nb::gil_scoped_release release;
        parallel(views.size(), [&](std::size_t i) { cuts[i] = mdlp_cuts(views[i]); });
    }
    nb::list result;
    for (auto& c : cuts) result.append(to_numpy(std::move(c)));
    return result;
}

template <typename Code>
std::vector<Code> codes_of(const Any1D& codes, std::size_t wanted) {
    if (codes.size() != wanted) throw std::invalid_argument("a coder needs a code for each outcome");
    const Reader<Code> read = reader<Code>(codes);
    std::vector<Code> result(wanted);
    for (std::size_t i = 0; i < wanted; ++i) result[i] = read[i];
    return result;
}

void make_coder(Coder* self, bool bins, const nb::object& py_numbers, const Any1D& codes) {
    const auto numbers = exactly<Double1D>(py_numbers);
    const auto rising = span_of(numbers);
    if (!std::all_of(rising.begin(), rising.end(), [](double number) { return std::isfinite(number); }))
        throw std::invalid_argument("the numbers of a coder must be finite");
    for (std::size_t i = 0; i + 1 < rising.size(); ++i)
        if (!(rising[i] < rising[i + 1])) throw std::invalid_argument("the numbers of a coder must rise");
    const std::size_t wanted = rising.size() + 2;  // bins: one more than cuts, and missing; values: missing, unknown
    std::vector<double> own(rising.begin(), rising.end());
    if (codes.dtype() == nb::dtype<Narrow>())
        new (self) Coder{bins, std::move(own), codes_of<Narrow>(codes, wanted)};
    else if (codes.dtype() == nb::dtype<Wide>())
        new (self) Coder{bins, std::move(own), codes_of<Wide>(codes, wanted)};
    else
        throw std::invalid_argument("codes must be uint8 or uint16");
}

nb::list code_columns(const std::vector<Any1D>& arrays, const std::vector<nb::object>& objects) {
    const std::vector<Column> columns = columns_of(arrays);
    if (objects.size() != columns.size()) throw std::invalid_argument("one coder is needed for each column");
    std::vector<const Coder*> coders;
    for (const nb::object& object : objects) coders.push_back(&coder_in(object));
    const std::size_t rows = columns.empty() ? 0 : columns.front().rows;
    std::vector<AnyCoding> codings;
    std::vector<std::variant<std::vector<Narrow>, std::vector<Wide>>> codes(columns.size());
    for (const Coder* coder : coders) codings.push_back(coding_of(*coder));
    {
        const nb::gil_scoped_release release;
        for (std::size_t i = 0; i < coders.size(); ++i) {
            if (std::holds_alternative<std::vector<Narrow>>(coders[i]->codes))
                codes[i] = std::vector<Narrow>(rows);
            else
                codes[i] = std::vector<Wide>(rows);
        }
        parallel((rows + kTile - 1) / kTile, [&](std::size_t task) {
            const std::size_t begin = task * kTile;
            const std::size_t end = std::min(begin + kTile, rows);
            for (std::size_t i = 0; i < columns.size(); ++i) {
                std::visit(
                    [&](const auto& coding, auto& out) {
                        using Code = typename std::remove_cvref_t<decltype(out)>::value_type;
                        if constexpr (requires { coding.code(columns[i], begin, end, static_cast<Code*>(nullptr)); })
                            coding.code(columns[i], begin, end, out.data() + begin);
                    },
                    codings[i], codes[i]);
            }
        });
    }
    nb::list result;
    for (auto& c : codes) std::visit([&](auto& values) { result.append(to_numpy(std::move(values))); }, c);
    return result;
}

}  // namespace

void bind_columns(nb::module_& m) {
    m.def("to_bytes", &to_bytes_of, "rows"_a, "For each column of rows of numbers its bytes, or None if some are no whole numbers among 0..255.");
    m.def("distinct", &distinct_of, "columns"_a,
          "For each column its distinct values, whether one is missing, and whether all are exact doubles.");
    m.def("value_maps", &value_maps_of, "columns"_a, "classes"_a, "n_classes"_a,
          "weights"_a = nb::none(),
          "For each column (level, least, greatest, counts, missing): what it tells of the classes.");
    m.def("mdlp_cuts", &mdlp_cuts_of, "maps"_a, "The cut points of Fayyad and Irani for (least, greatest, counts) maps.");

    nb::class_<Coder>(m, "Coder", "How a column of numbers becomes codes.")
        .def("__init__", &make_coder, "bins"_a, "numbers"_a, "codes"_a,
             "Of bins between rising cuts (a code each, then of missing) or of rising values (a code each, then of "
             "missing and of unknown).");
    m.def("code_columns", &code_columns, "columns"_a, "coders"_a, "The codes of columns, each by its coder.");
}

}  // namespace savvybayes
