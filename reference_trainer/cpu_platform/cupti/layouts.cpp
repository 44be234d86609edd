// SPDX-License-Identifier: Apache-2.0
#include "layouts.h"

#include <algorithm>
#include <array>

namespace ringside::cupti {
namespace {

// Versions: the list in cupti_version.h of CUDA 13.0. Sizes: the structs of its cupti_activity_deprecated.h,
// with the versions in which they were deprecated.
// Of 13.4 there is no header here: its kernels have more behind what 13.0 has, how much is not known.
// The last one does not exist: what clients do with a version that they do not know.
constexpr std::array<Layouts, 7> kLayouts = {{{"11.0", 13, 160, 72, 72, 80},
                                              {"11.8", 18, 200, 88, 88, 96},
                                              {"12.0", 19, 208, 88, 88, 96},
                                              {"12.8", 26, 208, 96, 88, 96},
                                              {"13.0", 130001, 216, 96, 88, 96},
                                              {"13.4", 130400, 240, 96, 88, 96},
                                              {"14.0", 140000, 216, 96, 88, 96}}};
constexpr std::size_t kNewestThatExists = 4;

#if __has_include(<cupti_activity_deprecated.h>)
static_assert(kLayouts[0].kernel == sizeof(CUpti_ActivityKernel5));
static_assert(kLayouts[0].copy == sizeof(CUpti_ActivityMemcpy3));
static_assert(kLayouts[0].set == sizeof(CUpti_ActivityMemset2));
static_assert(kLayouts[0].peerCopy == sizeof(CUpti_ActivityMemcpyPtoP2));
static_assert(kLayouts[1].kernel == sizeof(CUpti_ActivityKernel8));
static_assert(kLayouts[1].copy == sizeof(CUpti_ActivityMemcpy5));
static_assert(kLayouts[2].kernel == sizeof(CUpti_ActivityKernel9));
#endif
static_assert(kLayouts[kNewestThatExists].kernel == sizeof(CUpti_ActivityKernel10));
static_assert(kLayouts[kNewestThatExists].copy == sizeof(CUpti_ActivityMemcpy6));
static_assert(kLayouts[kNewestThatExists].peerCopy == sizeof(CUpti_ActivityMemcpyPtoP4));
static_assert(kLayouts[kNewestThatExists].set == sizeof(CUpti_ActivityMemset4));

} // namespace

const Layouts* newestLayouts()
{
    return &kLayouts[kNewestThatExists];
}

const Layouts* findLayouts(std::string_view cuda)
{
    const auto row = std::ranges::find(kLayouts, cuda, &Layouts::cuda);
    return row == kLayouts.end() ? nullptr : &*row;
}

std::string layoutNames()
{
    std::string names;
    for (const Layouts& row : kLayouts)
        names += (names.empty() ? "" : "|") + std::string(row.cuda);
    return names;
}

std::size_t recordSize(const Layouts& layouts, CUpti_ActivityKind kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return layouts.copy;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return layouts.peerCopy;
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return layouts.set;
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return layouts.kernel;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
        return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        return sizeof(CUpti_ActivityExternalCorrelation);
    default:
        return 0;
    }
}

} // namespace ringside::cupti
