// What Python sees of blocks: arrays are checked, the GIL is released, a kernel is called.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>

#include "arrays.h"
#include "block.h"
#include "coder.h"
#include "counts.h"
#include "gram.h"
#include "grid.h"
#include "information.h"
#include "instructions.h"
#include "pool.h"
#include "score.h"

namespace savvybayes {

using namespace nb::literals;

namespace {

using Bounds = std::pair<std::size_t, std::size_t>;
using PyScope = std::pair<std::vector<std::size_t>, int>;
using PyTable = std::tuple<std::vector<std::size_t>, int, nb::object>;
using PyState = std::tuple<std::size_t, std::vector<std::size_t>, std::vector<Any1D>, std::vector<std::size_t>,
                           std::size_t, std::optional<Double1D>>;

// Codes as they are.
template <typename Code>
WriteCodes<Code> copy_of(const Any1D& array) {
    return [from = reader<Code>(array)](std::size_t begin, std::size_t end, Code* out) {
        for (std::size_t row = begin; row < end; ++row) *out++ = from[row];
    };
}

AnyWriteCodes codes_of(const Any1D& array) {
    if (array.dtype() == nb::dtype<Narrow>()) return copy_of<Narrow>(array);
    if (array.dtype() == nb::dtype<Wide>()) return copy_of<Wide>(array);
    throw std::invalid_argument("codes must be uint8 or uint16");
}

// A column and its coder. The coder must live as long as the answer.
AnyWriteCodes codes_of(const Any1D& array, const Coder& coder) {
    return std::visit(
        [&]<typename Coding>(Coding&& coding) -> AnyWriteCodes {
            using Code = typename std::remove_cvref_t<Coding>::Type;
            return WriteCodes<Code>([column = Column{any_reader(array), array.size()},
                                     coding = std::forward<Coding>(coding)](std::size_t begin, std::size_t end,
                                                                           Code* out) {
                coding.code(column, begin, end, out);
            });
        },
        coding_of(coder));
}

using PyCodes = std::variant<Any1D, std::pair<Any1D, nb::object>>;

std::vector<AnyWriteCodes> codes_of(const std::vector<PyCodes>& columns, std::size_t rows) {
    std::vector<AnyWriteCodes> codes;
    for (const PyCodes& any : columns) {
        const auto* coded = std::get_if<std::pair<Any1D, nb::object>>(&any);
        const Any1D& array = coded ? coded->first : std::get<Any1D>(any);
        if (array.size() != rows) throw std::invalid_argument("columns of codes of another length");
        codes.push_back(coded ? codes_of(array, coder_in(coded->second)) : codes_of(array));
    }
    return codes;
}

template <typename T, typename Array>
std::optional<std::span<const T>> optional_span(const std::optional<Array>& array) {
    if (!array) return std::nullopt;
    return std::span<const T>(array->data(), array->size());
}

void make_block(Block* self, std::size_t rows, std::vector<std::size_t> sizes, const std::vector<PyCodes>& columns,
                const nb::object& py_classes, std::size_t n_classes, const nb::object& py_weights) {
    const std::vector<AnyWriteCodes> codes = codes_of(columns, rows);
    const auto classes = exactly_or_none<Classes1D>(py_classes);
    const auto weights = exactly_or_none<Double1D>(py_weights);
    const nb::gil_scoped_release release;
    new (self) Block(rows, std::move(sizes), codes, optional_span<Class>(classes), n_classes,
                     optional_span<Count>(weights));
}

// The state of a block: its codes, in their order by class, and how many rows each class has.
nb::tuple block_state(const Block& block) {
    nb::list columns;
    for (std::size_t i = 0; i < block.n_attributes(); ++i)
        std::visit([&](const auto& codes) { columns.append(to_numpy(std::vector(codes.begin(), codes.end()))); },
                   block.codes(i));
    const nb::object weights = block.weights().empty() ? nb::none() : to_numpy(block.weights());
    return nb::make_tuple(block.rows(), block.sizes(), columns, block.begins(), block.n_classes(), weights);
}

void set_block_state(Block& self, const PyState& state) {
    const auto& [rows, sizes, columns, begins, n_classes, weights] = state;
    const std::size_t parts = std::max<std::size_t>(n_classes, 1);
    if (begins.size() < 2 || begins.size() - 1 != parts || begins.front() != 0 || begins.back() != rows ||
        !std::is_sorted(begins.begin(), begins.end()))
        throw std::invalid_argument("this is not the state of a block");
    std::vector<AnyWriteCodes> codes;
    for (const Any1D& column : columns) {
        if (column.size() != rows) throw std::invalid_argument("columns of codes of another length");
        codes.push_back(codes_of(column));
    }
    std::optional<std::vector<Class>> classes;
    if (n_classes > 0) {
        classes.emplace();
        for (std::size_t c = 0; c < n_classes; ++c)
            classes->insert(classes->end(), begins[c + 1] - begins[c], static_cast<Class>(c));
    }
    new (&self) Block(rows, sizes, codes, classes, n_classes, optional_span<Count>(weights));
}

nb::object count_scopes_of(const Block& block, const std::vector<PyScope>& scopes) {
    std::vector<Scope> wanted;
    for (const auto& [attributes, label] : scopes) wanted.push_back({attributes, label});
    auto [out, result] = zeros({table_begins(block, wanted).back()});
    const nb::gil_scoped_release release;
    count_scopes(block, wanted, out);
    return result;
}

PairTile tile_of(Bounds rows, Bounds columns, Bounds classes) {
    return {{rows.first, rows.second}, {columns.first, columns.second}, {classes.first, classes.second}};
}

nb::object count_pairs_of(const Block& block, Bounds rows, Bounds columns, Bounds classes) {
    const PairTile tile = tile_of(rows, columns, classes);
    auto [out, result] = zeros({tile_size(block, tile)});
    const nb::gil_scoped_release release;
    count_pairs(block, tile, out);
    return result;
}

nb::object information_of(const nb::object& py_counts, const std::vector<std::size_t>& sizes, const PairTile& tile,
                          bool by_class) {
    const auto counts = exactly<Double1D>(py_counts);
    check_information(counts.size(), tile, sizes);
    const std::size_t rows = tile.rows.length(), columns = tile.columns.length();
    std::vector<std::size_t> shape{rows, columns};
    if (by_class) shape.insert(shape.begin(), tile.classes.length());
    auto [out, result] = zeros(shape);
    const nb::gil_scoped_release release;
    pair_information(span_of(counts), tile, sizes, by_class ? rows * columns : 0, out);
    return result;
}

nb::object pair_information_of(const nb::object& counts, const std::vector<std::size_t>& sizes, Bounds rows,
                               Bounds columns, Bounds classes) {
    return information_of(counts, sizes, tile_of(rows, columns, classes), true);
}

nb::object conditional_information_of(const nb::object& counts, const std::vector<std::size_t>& sizes, Bounds rows,
                                      Bounds columns, Bounds classes) {
    return information_of(counts, sizes, tile_of(rows, columns, classes), false);
}

void mirror_of(const nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& matrix, double weight) {
    if (matrix.shape(0) != matrix.shape(1)) throw std::invalid_argument("a square matrix is needed");
    const nb::gil_scoped_release release;
    mirror(matrix.shape(0), weight, matrix.data());
}

nb::object log_probabilities_of(const Block& block, const nb::object& py_prior, const std::vector<PyTable>& tables) {
    const auto prior = exactly<Double1D>(py_prior);
    std::vector<AnyDoubles> kept;
    std::vector<LogTable> wanted;
    for (const auto& [attributes, label, entries] : tables) {
        kept.push_back(exactly<AnyDoubles>(entries));
        wanted.push_back({{attributes, label}, span_of(kept.back())});
    }
    auto [out, result] = zeros({block.rows(), prior.size()});
    const nb::gil_scoped_release release;
    log_probabilities(block, span_of(prior), wanted, out);
    return result;
}

nb::object grid_of(const nb::object& py_values) {
    const auto values = exactly<AnyDoubles>(py_values);
    std::vector<std::size_t> shape;
    for (std::size_t d = 0; d < values.ndim(); ++d) shape.push_back(values.shape(d));
    auto [out, result] = zeros(shape);
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = grid(values.data()[i]);
    return result;
}

// Python's signal handlers run when it is asked; only its main thread has any.
bool user_interrupts() {
    const nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
}

void raise_interrupt(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const Interrupted&) {
        if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
}

}  // namespace

}  // namespace savvybayes

NB_MODULE(_core, m) {
    using namespace savvybayes;

    m.doc() = "The compiled core: blocks of coded rows, and what can be asked of one.";
    nb::register_exception_translator(raise_interrupt);
    set_interrupt_check(user_interrupts);

    m.def("thread_limit", &thread_limit, "How many threads the kernels use when this thread calls them.");
    m.def("set_thread_limit", &set_thread_limit, "threads"_a);
    m.def("instructions", [] { return name_of(instructions()); }, "Which set of instructions the kernels use.");
    m.def("grid", &grid_of, "values"_a, "The values on the grid on which quantities are compared.");

    nb::class_<Block>(m, "Block", "Coded rows, the rows of a class side by side; validated once, when made.")
        .def("__init__", &make_block, "rows"_a, "sizes"_a, "codes"_a, "classes"_a = nb::none(),
             "n_classes"_a = 0, "weights"_a = nb::none())
        .def("__getstate__", &block_state)
        .def("__setstate__", &set_block_state)
        .def_prop_ro("rows", &Block::rows)
        .def_prop_ro("n_classes", &Block::n_classes)
        .def_prop_ro("sizes", &Block::sizes)
        .def("count_scopes", &count_scopes_of, "scopes"_a,
             "The tables of (attributes, label) scopes, one after the other; label -1 is every class.")
        .def("count_pairs", &count_pairs_of, "rows"_a, "columns"_a, "classes"_a,
             "For each class a matrix of the pair tables of a rectangle of attributes.")
        .def("log_probabilities", &log_probabilities_of, "prior"_a, "tables"_a,
             "The log-softmax of the prior plus (attributes, label, entries) tables.");

    m.def("pair_information", &pair_information_of, "counts"_a, "sizes"_a, "rows"_a, "columns"_a, "classes"_a,
          "The weight of each class times the mutual information within it, of each pair of a tile.");
    m.def("conditional_information", &conditional_information_of, "counts"_a, "sizes"_a, "rows"_a, "columns"_a,
          "classes"_a, "The sum of the same over the classes.");
    m.def("mirror", &mirror_of, "matrix"_a.noconvert(), "weight"_a,
          "Give both sides of a matrix's diagonal what is above it, over the weight, on the grid and at least 0.");

    bind_columns(m);
}
