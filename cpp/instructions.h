// Which set of instructions the kernels use: settled once, on the machine that runs them.
//
// An idea that gains from vector instructions has a header that names its kernels, a file with the plain ones, which is
// the one to read, and a file for each set of instructions. Nothing else in these files: what the compiler writes for
// an inline function of a library there could be taken for all callers, also on machines without the instructions.
#pragma once

namespace savvybayes {

// From the least to the most. A machine of the level AVX2 has POPCNT, too; one of the level AVX-512 has all that the
// kernels use of it: F, BW, DQ, VL, VBMI, VBMI2 and VPOPCNTDQ (Intel's since Ice Lake, AMD's since Zen 4).
#if defined(__x86_64__)
enum class Instructions { plain, avx2, avx512 };
#elif defined(__aarch64__)
enum class Instructions { plain, neon };
#else
enum class Instructions { plain };
#endif

// The best that this machine has; the environment variable SAVVYBAYES_KERNELS, which names one, asks for less.
Instructions instructions();

const char* name_of(Instructions instructions);

// The kernels of this machine's level, or the best below it, among those given from plain to most.
template <typename Kernels, typename... More>
const Kernels& of_this_machine(const Kernels& plain, const More&... more) {
    const Kernels* const levels[] = {&plain, &more...};
    const auto wanted = static_cast<unsigned>(instructions());
    return *levels[wanted < sizeof...(more) + 1 ? wanted : sizeof...(more)];
}

}  // namespace savvybayes
