// AVX-512 VBMI2: 64 codes lose those whose bit is not set, in one instruction.
#include <immintrin.h>

#include "partition.h"

namespace savvybayes {

void compress_avx512(const Narrow* codes, const std::uint64_t* mask, std::size_t words, Narrow* out) {
    for (std::size_t w = 0; w < words; ++w) {
        const __m512i kept = _mm512_maskz_compress_epi8(mask[w], _mm512_loadu_si512(codes + 64 * w));
        const auto count = static_cast<unsigned>(__builtin_popcountll(mask[w]));
        // Not a byte more: what lies behind is another class's, or another thread's.
        _mm512_mask_storeu_epi8(out, count == 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1, kept);
        out += count;
    }
}

}  // namespace savvybayes
