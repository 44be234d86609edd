// SPDX-License-Identifier: Apache-2.0
// Gradient buckets that are too large: after a small first one, the rest is sent in one message when backward
// is over.
#include "fault.h"

namespace ringside::trainer::faults::fault_huge_buckets {
namespace {

constexpr FaultOption kOptions[] = {{"mb", "100", "limit in MiB of all buckets but the first"}};

void apply(const FaultSettings& settings, const RankIdentity&, Hooks& hooks)
{
    hooks.buckets = limitsForCap(settings.positive("mb"));
}

} // namespace

extern const Fault entry;
const Fault entry{"huge_buckets", "most gradients are reduced in one message at the end", kOptions, apply};

} // namespace ringside::trainer::faults::fault_huge_buckets
