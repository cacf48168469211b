#include "gram.h"

#include "instructions.h"

namespace savvybayes {

const GramKernels& gram_kernels() {
#if defined(__x86_64__)
    return of_this_machine(kPlainGram, kAvx2Gram, kAvx512Gram);
#elif defined(__aarch64__)
    return of_this_machine(kPlainGram, kNeonGram);
#else
    return of_this_machine(kPlainGram);
#endif
}

}  // namespace savvybayes
