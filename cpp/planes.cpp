#include "planes.h"

#include <algorithm>
#include <variant>

#include "pool.h"

namespace savvybayes {
namespace {

// Of a task: its counts fit into 32 bits.
constexpr std::size_t kMostRows = std::size_t{1} << 31;

}  // namespace

Planes::Planes(const Block& block, std::vector<std::size_t> attributes)
    : block_(block), attributes_(std::move(attributes)), first_{0}, none_(kPlaneRows / 64, 0) {
    for (const std::size_t i : attributes_) first_.push_back(first_.back() + block.sizes()[i] - 1);
    totals_.assign(count(), 0);
}

void Planes::make(std::size_t begin, std::size_t end) {
    words_ = (end - begin + 64 * kPlaneWords - 1) / (64 * kPlaneWords) * kPlaneWords;
    if (memory_.size() < count() * words_) memory_ = Buffer<Word>(count() * words_);
    for (std::size_t k = 0; k < attributes_.size(); ++k) {
        const auto codes = std::get<std::span<const Narrow>>(block_.codes(attributes_[k]));
        gram_kernels().make_planes(codes.data() + begin, end - begin, first(k + 1) - first(k),
                                   memory_.data() + first(k) * words_, words_, totals_.data() + first(k));
    }
}

std::vector<PlaneTask> plane_tasks(const Block& block, std::size_t first_class, std::size_t last_class,
                                   std::size_t most_parts) {
    const auto wanted = 4 * static_cast<std::size_t>(thread_limit());
    const std::size_t all_rows = block.begins()[last_class] - block.begins()[first_class];
    const std::size_t share = std::clamp(all_rows / wanted + 1, kPlaneRows, kMostRows);
    std::size_t runs = 0;
    for (std::size_t c = first_class; c < last_class; ++c)
        runs += (block.begins()[c + 1] - block.begins()[c] + share - 1) / share;
    std::size_t parts = 1;
    if (thread_limit() > 1 && runs > 0) parts = std::clamp<std::size_t>(wanted / runs, 1, std::max<std::size_t>(most_parts, 1));

    std::vector<PlaneTask> tasks;
    for (std::size_t c = first_class; c < last_class; ++c)
        for (std::size_t begin = block.begins()[c]; begin < block.begins()[c + 1]; begin += share)
            for (std::size_t part = 0; part < parts; ++part)
                tasks.push_back({c, begin, std::min(begin + share, block.begins()[c + 1]), part, parts});
    return tasks;
}

}  // namespace savvybayes
