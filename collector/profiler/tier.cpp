// SPDX-License-Identifier: Apache-2.0
#include "profiler/tier.h"

#include "profiler/announce.h"
#include "profiler/callbacks.h"
#include "profiler/plugin.h"
#include "record/clock.h"
#include "record/levels.h"
#include "record/library_versions.h"
#include "record/nccl_kernels.h"

#include <ringside/trace/writer.h>

namespace ringside::collector::profiler {
namespace {

constexpr unsigned kOldest = 3;

constexpr unsigned kNewest = 7;

/// A known NCCL that asks for nothing has no communicator, or is too old. A newer one may have given up all
/// versions of the interface that the collector has.
std::string whyNotAsked()
{
    const int nccl = ncclVersionInUse();
    if (nccl <= kNewestKnownNccl) {
        return "no NCCL of version 2.26 or later asked for it";
    }
    return "NCCL " + ncclVersionText(nccl) + " asked for none of the profiler interfaces " +
           std::to_string(kOldest) + " to " + std::to_string(kNewest) +
           " of this Ringside: algorithms, channels and what NCCL made of each call are not recorded; use a "
           "newer Ringside";
}

std::string reasonOf(unsigned version)
{
    switch (version) {
    case 0: {
        const std::string reason = whyNotAnnounced();
        return reason.empty() ? whyNotAsked() : reason;
    }
    case kOldest:
        return "profiler API 3: calls are tied to operations by order, no times of channels";
    case kOldest + 1:
        return "profiler API 4: calls are tied to operations by order";
    default:
        return "";
    }
}

} // namespace

void Tier::begin(trace::Writer& writer, const Options&)
{
    ncclKernels().connect(&applyMasks);
    describe(writer);
}

void Tier::pass(trace::Writer& writer, Registry& registry)
{
    // Where the device tier may be on, it tells more, and the profile light asks for as little as possible.
    ncclKernels().time(canTimeKernels(versionInUse()) && plan().profile == Profile::Auto &&
                           level() == Level::Light,
                       readClockNs(CLOCK_MONOTONIC));
    applyMasks();
    contexts().nameCommunicators(registry);
    if (const unsigned version = versionInUse(); version != m_version) {
        m_version = version;
        writer.add(trace::settingRow({"nccl", "profiler_api"}, std::to_string(version)));
        if (const std::string behind = chain().description(); !behind.empty()) {
            writer.add(trace::settingRow({"nccl", "chained_profiler"}, behind));
        }
        describe(writer);
    }
    if (const std::uint64_t dropped = pool().dropped(); dropped != m_dropped) {
        m_dropped = dropped;
        writer.setDropped({"nccl events", 0, static_cast<std::int64_t>(dropped)});
    }
}

void Tier::end(trace::Writer& writer, Registry& registry)
{
    pass(writer, registry);
    describe(writer); // the program may have changed its environment
    abandon();
}

void Tier::abandon()
{
    applyMasks(); // the collector wants no more events
}

void Tier::describe(trace::Writer& writer) const
{
    std::string reason = reasonOf(m_version);
    const std::string behind = chain().reason();
    reason += (reason.empty() || behind.empty() ? "" : "; ") + behind;
    writer.setTier({"nccl", m_version != 0, reason, std::nullopt, std::nullopt});
}

} // namespace ringside::collector::profiler
