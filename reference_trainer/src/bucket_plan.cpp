// SPDX-License-Identifier: Apache-2.0
#include "bucket_plan.h"

#include <algorithm>

namespace ringside::trainer {

BucketLimits limitsForCap(double capMb)
{
    constexpr double kMebibyte = 1024.0 * 1024.0;
    const auto bytes = static_cast<std::size_t>(capMb * kMebibyte);
    return {.firstBytes = std::min(BucketLimits{}.firstBytes, bytes), .bytes = bytes};
}

std::vector<Bucket> planBuckets(std::span<const std::size_t> tensorBytes, BucketLimits limits)
{
    std::vector<Bucket> buckets;
    Bucket open;
    for (std::size_t tensor = 0; tensor < tensorBytes.size(); ++tensor) {
        open.last = tensor + 1;
        open.bytes += tensorBytes[tensor];
        const std::size_t limit = buckets.empty() ? limits.firstBytes : limits.bytes;
        if (open.bytes >= limit || open.last == tensorBytes.size()) {
            buckets.push_back(open);
            open = {.first = open.last, .last = open.last, .bytes = 0};
        }
    }
    return buckets;
}

} // namespace ringside::trainer
