// SPDX-License-Identifier: Apache-2.0
#include "live/tier.h"

#include "record/emulation.h"
#include "record/levels.h"
#include "record/nccl_kernels.h"
#include "record/ranks.h"
#include "record/step_counts.h"
#include "trace/write/small_file.h"

#include <ringside/trace/live_snapshot.h>

#include <unistd.h>

namespace ringside::collector::live {

void Tier::watch(trace::Writer& writer)
{
    writer.setObserver(this);
}

void Tier::begin(trace::Writer& /*writer*/, const Options& /*options*/)
{
    const std::string folder = folderOnThisHost();
    m_file = folder.empty() ? "" : folder + "/" + processNames().base + trace::kLivePartExtension;
}

void Tier::pass(trace::Writer& writer, Registry& registry)
{
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    ncclKernels().take([this](const NcclKernel& kernel) { m_summarizer.see(kernel); });
    store(writer, m_summarizer.pass(now, stepsNoted() != 0, level() >= Level::Standard,
                                    ncclKernels().timedSinceNs()));
    if (now >= m_nextNs) {
        m_nextNs = now + trace::kLivePeriodNs;
        tell(registry);
    }
}

void Tier::store(trace::Writer& writer, const std::vector<summary::Summary>& steps)
{
    for (const summary::Summary& step : steps) {
        for (const trace::StepSummaryRow& row : step.rows) {
            writer.add(row);
        }
        for (const trace::StepTrafficRow& row : step.traffic) {
            writer.add(row);
        }
        m_part.add(step);
    }
}

void Tier::tell(Registry& registry)
{
    if (m_file.empty()) {
        return;
    }
    ProcessNow now;
    now.base = processNames().base;
    now.pid = getpid();
    now.level = nameOf(level());
    now.emulated = looksEmulated();
    now.steps = stepsNoted();
    now.ranks = ranksOf(registry.worldCommunicators(), launchedRank());
    now.calls = callsInFlight();
    now.clock = sampleClocks();
    static_cast<void>(trace::replaceFile(m_file, m_part.text(now))); // a full disk leaves the older one
}

/// The libraries may come late, and looking at all of them costs: the first minute decides.
bool Tier::looksEmulated()
{
    constexpr int kLooks = 30;
    if (!m_emulated && m_looks < kLooks) {
        ++m_looks;
        m_emulated = isPlatformEmulated();
    }
    return m_emulated;
}

void Tier::withdraw()
{
    if (!m_file.empty()) {
        unlink(m_file.c_str());
        m_file.clear();
    }
}

void Tier::end(trace::Writer& writer, Registry& registry)
{
    pass(writer, registry);
    store(writer, m_summarizer.finish());
    writer.setObserver(nullptr);
}

} // namespace ringside::collector::live
