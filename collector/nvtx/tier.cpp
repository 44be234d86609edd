// SPDX-License-Identifier: Apache-2.0
#include "nvtx/tier.h"

#include "nvtx/chain.h"
#include "nvtx/injection.h"
#include "nvtx/labels.h"
#include "nvtx/ranges.h"

#include <ringside/trace/writer.h>

namespace ringside::collector::nvtx {
namespace {

const char* reason(bool active)
{
    if (!active) {
        return "no library of the program used NVTX";
    }
    switch (chainState()) {
    case Chain::Active:
        return "another NVTX tool gets the same events";
    case Chain::Declined:
        return "the NVTX tool that was there before declined";
    case Chain::NotLoaded:
        return "the NVTX tool that was there before cannot be loaded, and gets no events";
    default:
        return "";
    }
}

void count(trace::Writer& writer, const char* what, std::uint64_t records)
{
    if (records != 0) {
        writer.setDropped({what, 0, static_cast<std::int64_t>(records)});
    }
}

} // namespace

void Tier::begin(trace::Writer& writer, const Options&)
{
    describe(writer);
}

void Tier::pass(trace::Writer& writer, Registry&)
{
    if (isInstalled() != m_active) {
        describe(writer);
    }
    writeLabels(writer);
    count(writer, "nvtx ranges nested too deep", refusedRanges().tooDeep.load());
    count(writer, "nvtx ranges, too many open", refusedRanges().tooMany.load());
    count(writer, "nvtx names", refusedLabels());
}

void Tier::end(trace::Writer& writer, Registry& registry)
{
    pass(writer, registry);
    describe(writer);
}

void Tier::describe(trace::Writer& writer)
{
    m_active = isInstalled();
    writer.setTier({"nvtx", m_active, reason(m_active), std::nullopt, std::nullopt});
}

} // namespace ringside::collector::nvtx
