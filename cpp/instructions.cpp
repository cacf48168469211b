#include "instructions.h"

#include <cstdlib>
#include <string_view>

namespace savvybayes {
namespace {

#if defined(__x86_64__)
constexpr Instructions kAll[] = {Instructions::plain, Instructions::avx2, Instructions::avx512};
#elif defined(__aarch64__)
constexpr Instructions kAll[] = {Instructions::plain, Instructions::neon};
#else
constexpr Instructions kAll[] = {Instructions::plain};
#endif

bool has(Instructions level) {
#if defined(__x86_64__)
    if (level == Instructions::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
    if (level == Instructions::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512vpopcntdq");
#endif
    static_cast<void>(level);  // every ARM machine of 64 bits has NEON
    return true;
}

Instructions choose() {
    const char* asked = std::getenv("SAVVYBAYES_KERNELS");
    Instructions best = Instructions::plain;
    for (const Instructions level : kAll) {
        if (has(level)) best = level;
        if (asked && std::string_view(asked) == name_of(level)) break;
    }
    return best;
}

}  // namespace

const char* name_of(Instructions instructions) {
    constexpr const char* kNames[] = {
        "plain",
#if defined(__x86_64__)
        "avx2", "avx512",
#elif defined(__aarch64__)
        "neon",
#endif
    };
    return kNames[static_cast<int>(instructions)];
}

Instructions instructions() {
    static const Instructions chosen = choose();
    return chosen;
}

}  // namespace savvybayes
