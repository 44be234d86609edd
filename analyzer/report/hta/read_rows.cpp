// SPDX-License-Identifier: Apache-2.0
#include "import/name_table.h"
#include "report/hta/read.h"

#include <fmt/format.h>

#include <array>

namespace ringside::report::hta {
namespace {

constexpr std::int64_t kNsAUs = 1000;

std::int64_t floorUs(std::int64_t ns)
{
    return ns >= 0 ? ns / kNsAUs : -((kNsAUs - 1 - ns) / kNsAUs);
}

class FrameOfRows final {
public:
    Event& add(std::int64_t startNs, std::int64_t endNs, std::string_view name)
    {
        const std::int64_t start = -floorUs(-startNs);
        Event event;
        event.ts = static_cast<double>(start);
        event.dur = static_cast<double>(floorUs(endNs) - start);
        event.index = ++m_last;
        event.name = m_names.idOf(name);
        return m_frame.events.emplace_back(event);
    }

    void addWork(Event& event, std::uint32_t stream, std::uint32_t correlation)
    {
        event.stream = stream;
        event.correlation = correlation;
        event.isDeviceWork = event.isDevice = true;
    }

    Frame take()
    {
        for (std::uint32_t id = 0; id < m_names.size(); ++id) {
            m_frame.names.emplace_back(m_names.text(id));
        }
        return std::move(m_frame);
    }

private:
    Frame m_frame;
    importers::NameTable m_names;
    std::uint32_t m_last = 0;
};

/// Returns the profiler's name for a kind of CUpti_ActivityMemcpyKind.
std::string_view copyName(std::uint32_t kind)
{
    constexpr std::array<std::string_view, 11> kNames{
        "Memcpy Unknown", "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH", "Memcpy AtoA",
        "Memcpy AtoD",    "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH", "Memcpy PtoP"};
    return kind == trace::kSetKind ? "Memset" : kNames[kind < kNames.size() ? kind : 0];
}

void addCopies(const trace::CopyColumns& copies, const model::Rank& rank, FrameOfRows& builder)
{
    for (std::size_t i = 0; i < copies.size(); ++i) {
        if (rank.owns(copies.device[i])) {
            Event& event = builder.add(copies.startNs[i], copies.endNs[i], copyName(copies.kind[i]));
            builder.addWork(event, copies.stream[i], copies.correlation[i]);
            const std::int64_t ns = copies.endNs[i] - copies.startNs[i];
            event.bandwidth = ns > 0 ? static_cast<double>(copies.bytes[i]) / static_cast<double>(ns) : 0.0;
        }
    }
}

} // namespace

Frame readRows(const model::Model& model, const model::Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    FrameOfRows builder;
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        builder
            .add(process.launches.startNs[i], process.launches.endNs[i],
                 process.text(process.launches.api[i]))
            .correlation = process.launches.correlation[i];
    }
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        if (rank.owns(process.kernels.device[i])) {
            builder.addWork(builder.add(process.kernels.startNs[i], process.kernels.endNs[i],
                                        process.text(process.kernels.name[i])),
                            process.kernels.stream[i], process.kernels.correlation[i]);
        }
    }
    addCopies(process.copies, rank, builder);
    for (const model::Step& step : rank.steps) {
        builder.add(step.host.start, step.host.end, fmt::format("ProfilerStep#{}", step.number));
    }
    return builder.take();
}

} // namespace ringside::report::hta
