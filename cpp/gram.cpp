#include "gram.h"

#include <cstdlib>
#include <string_view>

namespace savvybayes {
namespace {

const GramKernels& choose() {
#if defined(__x86_64__)
    const char* asked = std::getenv("SAVVYBAYES_KERNELS");
    const std::string_view most = asked ? asked : "avx512";
    if (most == "avx512" && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vpopcntdq"))
        return kAvx512Gram;
    if (most != "plain" && __builtin_cpu_supports("avx2")) return kAvx2Gram;
#endif
    return kPlainGram;
}

}  // namespace

const GramKernels& gram_kernels() {
    static const GramKernels& chosen = choose();
    return chosen;
}

}  // namespace savvybayes
