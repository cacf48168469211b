// Large arrays without the price of small pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace savvybayes {

// Whole vectors are loaded from here on.
constexpr std::size_t kAlignment = 64;

// Frees what `allocate` gave.
struct Release {
    std::align_val_t alignment;

    void operator()(void* memory) const noexcept { ::operator delete[](memory, alignment); }
};

constexpr std::size_t kLargePage = std::size_t{1} << 21;

// Asks for pages of 2 MB where the memory has room for whole ones. Writing 50 MB for the first time costs 12,800 page
// faults, more than most kernels take for the work itself, and threads wait for each other in them; in large pages it is
// 25. It is a wish: where it is refused, nothing is lost.
inline void wish_for_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t begin = (first + kLargePage - 1) / kLargePage * kLargePage;
    const std::uintptr_t end = (first + bytes) / kLargePage * kLargePage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// Uninitialised memory, in large pages where it is large.
inline std::unique_ptr<void, Release> allocate(std::size_t bytes) {
    const bool large = bytes >= 2 * kLargePage;
    const auto alignment = std::align_val_t{large ? kLargePage : kAlignment};
    std::unique_ptr<void, Release> memory(::operator new[](bytes + kAlignment, alignment), Release{alignment});
    if (large) wish_for_large_pages(memory.get(), bytes);
    return memory;
}

// An array of numbers that are not initialised; a whole vector may be read where its last element is.
template <typename T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Buffer(std::size_t size = 0) : memory_(allocate(size * sizeof(T))), size_(size) {}

    T* data() { return static_cast<T*>(memory_.get()); }
    const T* data() const { return static_cast<const T*>(memory_.get()); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }

  private:
    std::unique_ptr<void, Release> memory_;
    std::size_t size_;
};

}  // namespace savvybayes
