// The bit-planes of some attributes in some rows: for every value but the last, which the others tell, a bit a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "block.h"
#include "gram.h"
#include "memory.h"

namespace savvybayes {

// Rows whose planes are made and met together: a plane of 4 KB, a square of planes in the first-level cache.
constexpr std::size_t kPlaneRows = std::size_t{1} << 15;

// Planes are made anew for each run of rows: that costs little, and keeping them would take the memory of the codes.
class Planes {
  public:
    // The attributes, rising, have at most 255 values each.
    Planes(const Block& block, std::vector<std::size_t> attributes);

    const std::vector<std::size_t>& attributes() const { return attributes_; }

    // The planes of the k-th attribute are [first(k), first(k + 1)).
    std::size_t first(std::size_t k) const { return first_[k]; }
    std::size_t count() const { return first_.back(); }

    // Makes the planes of at most kPlaneRows rows, all of one class, and adds their rows to the totals.
    void make(std::size_t begin, std::size_t end);

    std::size_t words() const { return words_; }
    const Word* plane(std::size_t i) const { return memory_.data() + i * words_; }

    // A plane without a row, to fill up squares.
    const Word* none() const { return none_.data(); }

    // How many rows each plane has had in all that was made.
    std::span<const std::uint32_t> totals() const { return totals_; }

  private:
    const Block& block_;
    std::vector<std::size_t> attributes_, first_;
    std::size_t words_ = 0;
    Buffer<Word> memory_;
    std::vector<Word> none_;
    std::vector<std::uint32_t> totals_;
};

// Rows of one class, and which part, of how many, of what is asked of them.
struct PlaneTask {
    std::size_t cls, begin, end, part, parts;

    // Its share of `count` things.
    std::size_t from(std::size_t count) const { return count * part / parts; }
    std::size_t to(std::size_t count) const { return count * (part + 1) / parts; }
};

// Cuts the rows of some classes so that there is work for all threads: by rows where there are many, otherwise also
// into parts, at most `most_parts`.
std::vector<PlaneTask> plane_tasks(const Block& block, std::size_t first_class, std::size_t last_class,
                                   std::size_t most_parts);

}  // namespace savvybayes
