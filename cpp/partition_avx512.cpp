// AVX-512 VBMI2: 64 codes lose those whose bit is not set, in one instruction.
#include <immintrin.h>

#include "partition.h"

namespace savvybayes {
namespace {

void mask(const Class* classes, std::size_t rows, std::size_t n_classes, std::size_t words, std::uint64_t* masks) {
    for (std::size_t begin = 0; begin < rows; begin += 16) {
        const auto there = static_cast<__mmask16>(rows - begin >= 16 ? 0xFFFF : (1u << (rows - begin)) - 1);
        const __m512i some = _mm512_maskz_loadu_epi32(there, classes + begin);
        for (std::size_t c = 0; c < n_classes; ++c) {
            const __mmask16 own = _mm512_mask_cmpeq_epi32_mask(there, some, _mm512_set1_epi32(static_cast<int>(c)));
            masks[c * words + begin / 64] |= std::uint64_t{own} << (begin % 64);
        }
    }
}

void compress(const Narrow* codes, const std::uint64_t* mask, std::size_t words, Narrow* out) {
    for (std::size_t w = 0; w < words; ++w) {
        const __m512i kept = _mm512_maskz_compress_epi8(mask[w], _mm512_loadu_si512(codes + 64 * w));
        const auto count = static_cast<unsigned>(__builtin_popcountll(mask[w]));
        // Not a byte more: what lies behind is another class's, or another thread's.
        _mm512_mask_storeu_epi8(out, count == 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1, kept);
        out += count;
    }
}

}  // namespace

constinit const PartitionKernels kAvx512Partition{mask, compress};

}  // namespace savvybayes
