#include "score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "instructions.h"
#include "look_up.h"
#include "memory.h"
#include "pool.h"

namespace savvybayes {

const LookUpKernels& look_up_kernels() {
#if defined(__x86_64__)
    return of_this_machine(kPlainLookUp, kAvx2LookUp, kAvx512LookUp);
#else
    return of_this_machine(kPlainLookUp);
#endif
}

namespace {

void check(const Block& block, const LogTable& table, std::size_t n_classes) {
    std::size_t entries = 1;
    for (const std::size_t attribute : table.scope.attributes) {
        if (attribute >= block.n_attributes()) throw std::invalid_argument("a table over an attribute that is not there");
        entries *= block.sizes()[attribute] + 1;
        if (entries > table.entries.size()) break;
    }
    if (table.scope.label == Scope::kEveryClass)
        entries *= n_classes;
    else if (table.scope.label < 0 || static_cast<std::size_t>(table.scope.label) >= n_classes)
        throw std::invalid_argument("a table of a class that is not there");
    if (entries > std::numeric_limits<Cell>::max() || entries != table.entries.size())
        throw std::invalid_argument("a table of another size than its attributes say");
}

// Where the entries of each row begin in a table of n numbers a cell. A type that is just wide enough lets more rows be
// worked out at once.
template <typename Offset>
void find_offsets(const Block& block, const Scope& scope, std::size_t n, std::size_t begin, std::size_t end,
                  Offset* offsets) {
    std::fill_n(offsets, end - begin, Offset{0});
    std::size_t left = scope.attributes.size();
    for (const std::size_t attribute : scope.attributes) {
        const auto size = static_cast<Offset>(block.sizes()[attribute] + 1);
        const auto width = static_cast<Offset>(--left == 0 ? n : 1);
        std::visit(
            [&](const auto codes) {
                for (std::size_t i = 0; i < end - begin; ++i)
                    offsets[i] = static_cast<Offset>((offsets[i] * size + codes[begin + i]) * width);
            },
            block.codes(attribute));
    }
}

// Tables whose entries have so many numbers, looked up kFused at a time for a tile of rows.
template <typename Offset>
class LookUps {
  public:
    LookUps(std::size_t n, std::size_t rows, double* sums) : n_(n), rows_(rows), sums_(sums) {}

    // Where the offsets of a further table are to be written.
    Offset* next(const double* entries) {
        entries_[pending_] = entries;
        return offsets_.data() + pending_ * kScoredRows;
    }

    // Tells whether all tables so far have been added.
    bool taken() {
        if (++pending_ < kFused) return false;
        add();
        return true;
    }

    // Adds what is pending; places without a table look up a zero.
    void finish() {
        if (pending_ == 0) return;
        const std::vector<double> zeros(n_, 0.0);
        for (; pending_ < kFused; ++pending_) {
            std::fill_n(offsets_.data() + pending_ * kScoredRows, kScoredRows, Offset{0});
            entries_[pending_] = zeros.data();
        }
        add();
    }

  private:
    void add() {
        const LookUpKernels& kernels = n_ == 1 ? kOneLookUp : look_up_kernels();
        if constexpr (std::is_same_v<Offset, Cell>)
            kernels.add_wide(entries_.data(), offsets_.data(), rows_, n_, sums_);
        else
            kernels.add_narrow(entries_.data(), offsets_.data(), rows_, n_, sums_);
        pending_ = 0;
    }

    std::size_t n_, rows_;
    double* sums_;
    std::size_t pending_ = 0;
    std::array<const double*, kFused> entries_{};
    std::array<Offset, kFused * kScoredRows> offsets_;
};

// Tables and prior in the form in which they are looked up.
class Plan {
  public:
    Plan(const Block& block, std::span<const double> prior, std::span<const LogTable> tables)
        : block_(block), n_classes_(prior.size()), prior_(prior.begin(), prior.end()) {
        if (n_classes_ == 2) prior_ = {prior[1] - prior[0]};
        for (const LogTable& table : tables) {
            check(block, table, n_classes_);
            Part part{&table, table.entries.data(), false};
            if (n_classes_ == 2) part = as_odds(table);
            const bool small = table.entries.size() <= std::numeric_limits<std::uint16_t>::max();
            Parts& parts = table.scope.label == Scope::kEveryClass || n_classes_ == 2
                               ? of_all_
                               : of_class_[static_cast<std::size_t>(table.scope.label)];
            (small ? parts.small : parts.large).push_back(part);
        }
    }

    // Scores the rows [begin, end), at most kScoredRows, and turns the scores into logarithms of probabilities.
    void run(std::size_t begin, std::size_t end, double* out) const {
        const std::size_t rows = end - begin;
        const std::size_t stride = sum_stride(prior_.size());
        Buffer<double> sums(rows * stride);
        std::fill_n(sums.data(), rows * stride, 0.0);
        for (std::size_t row = 0; row < rows; ++row)
            std::copy(prior_.begin(), prior_.end(), sums.data() + row * stride);
        add(of_all_, prior_.size(), begin, end, sums.data());
        if (n_classes_ == 2) return from_odds(sums.data(), rows, out);
        for (const auto& [label, parts] : of_class_) {
            std::array<double, kScoredRows> own{};
            add(parts, 1, begin, end, own.data());
            for (std::size_t row = 0; row < rows; ++row) sums[row * stride + label] += own[row];
        }
        log_softmax(sums.data(), rows, out);
    }

  private:
    // A table and what is looked up of it. `late` is a table of more entries than there are rows, which is not rewritten:
    // what each row meets is worked out for the row.
    struct Part {
        const LogTable* table;
        const double* entries;
        bool late;
    };

    // By whether 16 bits suffice for the cells.
    struct Parts {
        std::vector<Part> small, large;
    };

    // What a cell adds to the log-odds.
    static double odds_of(const LogTable& table, std::size_t cell) {
        if (table.scope.label == 0) return -table.entries[cell];
        if (table.scope.label == 1) return table.entries[cell];
        return table.entries[2 * cell + 1] - table.entries[2 * cell];
    }

    Part as_odds(const LogTable& table) {
        if (table.scope.label == 1) return {&table, table.entries.data(), false};
        if (table.entries.size() > block_.rows()) return {&table, nullptr, true};
        const std::size_t cells = table.entries.size() / (table.scope.label == Scope::kEveryClass ? 2 : 1);
        odds_.emplace_back(cells);
        for (std::size_t cell = 0; cell < cells; ++cell) odds_.back()[cell] = odds_of(table, cell);
        return {&table, odds_.back().data(), false};
    }

    void add(const Parts& parts, std::size_t n, std::size_t begin, std::size_t end, double* sums) const {
        add_parts<std::uint16_t>(parts.small, n, begin, end, sums);
        add_parts<Cell>(parts.large, n, begin, end, sums);
    }

    template <typename Offset>
    void add_parts(const std::vector<Part>& parts, std::size_t n, std::size_t begin, std::size_t end,
                   double* sums) const {
        if (parts.empty()) return;
        LookUps<Offset> look_ups(n, end - begin, sums);
        std::vector<std::array<double, kScoredRows>> late;  // what the rows meet, so that row i looks up entry i
        late.reserve(kFused);
        for (const Part& part : parts) {
            if (part.late) late.emplace_back();
            Offset* offsets = look_ups.next(part.late ? late.back().data() : part.entries);
            find_offsets(block_, part.table->scope, n, begin, end, offsets);
            for (std::size_t i = 0; part.late && i < end - begin; ++i) {
                late.back()[i] = odds_of(*part.table, offsets[i]);
                offsets[i] = static_cast<Offset>(i);
            }
            if (look_ups.taken()) late.clear();
        }
        look_ups.finish();
    }

    // log 1 / (1 + e^-odds) for the second class, the same of -odds for the first; the exponential of no positive number.
    static void from_odds(const double* odds, std::size_t rows, double* out) {
        for (std::size_t row = 0; row < rows; ++row) {
            const double lesser = -std::abs(odds[row]);
            const double log_sum = std::log1p(std::exp(lesser));
            const bool second = odds[row] > 0.0;
            out[2 * row + second] = 0.0 - log_sum;  // no negative zero
            out[2 * row + !second] = lesser - log_sum;
        }
    }

    void log_softmax(const double* sums, std::size_t rows, double* out) const {
        for (std::size_t row = 0; row < rows; ++row, sums += sum_stride(n_classes_), out += n_classes_) {
            const double greatest = *std::max_element(sums, sums + n_classes_);
            double sum = 0.0;
            for (std::size_t c = 0; c < n_classes_; ++c) sum += std::exp(sums[c] - greatest);
            const double log_sum = greatest + std::log(sum);
            for (std::size_t c = 0; c < n_classes_; ++c) out[c] = sums[c] - log_sum;
        }
    }

    const Block& block_;
    std::size_t n_classes_;
    std::vector<double> prior_;
    std::vector<std::vector<double>> odds_;
    Parts of_all_;
    std::map<std::size_t, Parts> of_class_;
};

}  // namespace

void log_probabilities(const Block& block, std::span<const double> prior, std::span<const LogTable> tables,
                       double* out) {
    const Plan plan(block, prior, tables);
    if (prior.empty()) return;
    parallel((block.rows() + kScoredRows - 1) / kScoredRows, [&](std::size_t task) {
        const std::size_t begin = task * kScoredRows;
        plan.run(begin, std::min(begin + kScoredRows, block.rows()), out + begin * prior.size());
    });
}

}  // namespace savvybayes
