// SPDX-License-Identifier: Apache-2.0
// Gradient buckets that are too small: many short messages are limited by latency and do not use the
// bandwidth.
#include "fault.h"

namespace ringside::trainer::faults::fault_small_buckets {
namespace {

constexpr FaultOption kOptions[] = {{"mb", "0.1", "bucket limit in MiB, the first bucket included"}};

void apply(const FaultSettings& settings, const RankIdentity&, Hooks& hooks)
{
    hooks.buckets = limitsForCap(settings.positive("mb"));
}

} // namespace

extern const Fault entry;
const Fault entry{"small_buckets", "gradients are reduced in many small messages", kOptions, apply};

} // namespace ringside::trainer::faults::fault_small_buckets
