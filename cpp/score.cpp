#include "score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "memory.h"
#include "pool.h"

namespace savvybayes {
namespace {

// Rows that are scored together: their cells and their scores stay in the first-level cache.
constexpr std::size_t kTile = 512;

// Tables that are looked up together: the scores of a row are loaded and stored once for all of them.
constexpr std::size_t kFused = 8;

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

// The cell of each row in a table. A type that is just wide enough lets more rows be worked out at once.
template <typename Index>
void find_cells(const Block& block, const Scope& scope, std::size_t begin, std::size_t end, Index* cells) {
    std::fill_n(cells, end - begin, Index{0});
    for (const std::size_t attribute : scope.attributes) {
        const auto size = static_cast<Index>(block.sizes()[attribute] + 1);
        std::visit(
            [&](const auto codes) {
                for (std::size_t i = 0; i < end - begin; ++i)
                    cells[i] = static_cast<Index>(cells[i] * size + codes[begin + i]);
            },
            block.codes(attribute));
    }
}

// Tables whose entries have so many columns, looked up kFused at a time for a tile of rows.
//
// kColumns is their number where the compiler knows it, otherwise 0.
template <typename Index, std::size_t kColumns>
class LookUps {
  public:
    LookUps(std::size_t n_columns, std::size_t rows, double* sums) : n_columns_(n_columns), rows_(rows), sums_(sums) {}

    // Where the cells of a further table are to be written.
    Index* next(const double* entries) {
        entries_[pending_] = entries;
        return cells_[pending_].data();
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
        if (zeros_.size() < columns()) zeros_.resize(columns(), 0.0);
        for (; pending_ < kFused; ++pending_) {
            cells_[pending_].fill(0);
            entries_[pending_] = zeros_.data();
        }
        add();
    }

  private:
    std::size_t columns() const { return kColumns ? kColumns : n_columns_; }

    void add() {
        const std::size_t n = columns();
        for (std::size_t row = 0; row < rows_; ++row) {
            const double* entry[kFused];
            for (std::size_t t = 0; t < kFused; ++t) entry[t] = entries_[t] + cells_[t][row] * n;
            double* sum = sums_ + row * n;
            for (std::size_t c = 0; c < n; ++c)
                sum[c] += ((entry[0][c] + entry[1][c]) + (entry[2][c] + entry[3][c])) +
                          ((entry[4][c] + entry[5][c]) + (entry[6][c] + entry[7][c]));
        }
        pending_ = 0;
    }

    std::size_t n_columns_, rows_;
    double* sums_;
    std::size_t pending_ = 0;
    std::array<const double*, kFused> entries_{};
    std::array<std::array<Index, kTile>, kFused> cells_;
    std::vector<double> zeros_;
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

    // Scores the rows [begin, end), at most kTile, and turns the scores into logarithms of probabilities.
    void run(std::size_t begin, std::size_t end, double* out) const {
        const std::size_t rows = end - begin;
        if (n_classes_ == 2) {
            std::array<double, kTile> odds;
            std::fill_n(odds.begin(), rows, prior_[0]);
            add<1>(of_all_, 1, begin, end, odds.data());
            from_odds(odds.data(), rows, out);
            return;
        }
        for (std::size_t row = 0; row < rows; ++row) std::copy(prior_.begin(), prior_.end(), out + row * n_classes_);
        switch (n_classes_) {
            case 3: add<3>(of_all_, 3, begin, end, out); break;
            case 4: add<4>(of_all_, 4, begin, end, out); break;
            default: add<0>(of_all_, n_classes_, begin, end, out);
        }
        for (const auto& [label, parts] : of_class_) {
            std::array<double, kTile> sums{};
            add<1>(parts, 1, begin, end, sums.data());
            for (std::size_t row = 0; row < rows; ++row) out[row * n_classes_ + label] += sums[row];
        }
        log_softmax(out, rows);
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

    template <std::size_t kColumns>
    void add(const Parts& parts, std::size_t n_columns, std::size_t begin, std::size_t end, double* sums) const {
        add_parts<std::uint16_t, kColumns>(parts.small, n_columns, begin, end, sums);
        add_parts<Cell, kColumns>(parts.large, n_columns, begin, end, sums);
    }

    template <typename Index, std::size_t kColumns>
    void add_parts(const std::vector<Part>& parts, std::size_t n_columns, std::size_t begin, std::size_t end,
                   double* sums) const {
        if (parts.empty()) return;
        LookUps<Index, kColumns> look_ups(n_columns, end - begin, sums);
        std::vector<std::array<double, kTile>> late;  // what the rows meet, so that row i looks up entry i
        late.reserve(kFused);
        for (const Part& part : parts) {
            if (part.late) late.emplace_back();
            Index* cells = look_ups.next(part.late ? late.back().data() : part.entries);
            find_cells(block_, part.table->scope, begin, end, cells);
            for (std::size_t i = 0; part.late && i < end - begin; ++i) {
                late.back()[i] = odds_of(*part.table, cells[i]);
                cells[i] = static_cast<Index>(i);
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
            out[2 * row + second] = -log_sum;
            out[2 * row + !second] = lesser - log_sum;
        }
    }

    void log_softmax(double* scores, std::size_t rows) const {
        for (std::size_t row = 0; row < rows; ++row) {
            double* first = scores + row * n_classes_;
            double* last = first + n_classes_;
            const double greatest = *std::max_element(first, last);
            double sum = 0.0;
            for (const double* s = first; s != last; ++s) sum += std::exp(*s - greatest);
            const double log_sum = greatest + std::log(sum);
            for (double* s = first; s != last; ++s) *s -= log_sum;
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
    parallel((block.rows() + kTile - 1) / kTile, [&](std::size_t task) {
        const std::size_t begin = task * kTile;
        plan.run(begin, std::min(begin + kTile, block.rows()), out + begin * prior.size());
    });
}

}  // namespace savvybayes
