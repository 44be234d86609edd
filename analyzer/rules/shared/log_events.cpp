// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/log_events.h"

#include "words/kernel_events.h"

namespace ringside::rules {
namespace {

namespace text = words::kernel_events;

/// Names the port that has this PCI address or interface, or the device as the log calls it.
words::Text deviceText(const Context& context, const LogEvents& events)
{
    const std::string& device = events.series->entity;
    for (const metrics::Port& port : context.figures.ports) {
        if (port.host == events.process->process.host &&
            (port.fact("pci") == device || port.fact("netdev") == device || port.name == device ||
             (!device.empty() && port.name.starts_with(device + ":")))) {
            return say(text::port, {{"host", port.host}, {"port", port.name}, {"device", device}});
        }
    }
    return say(device.empty() ? text::some_device : text::device,
               {{"host", events.process->process.host}, {"device", device}});
}

/// The first message: when in the run, and the line.
words::Text firstText(const Context& context, const LogEvents& events)
{
    constexpr double kNsPerS = 1e9;
    const model::Rank* const rank = rankOn(context.run, *events.process);
    const words::Text none;
    const words::Text when =
        rank == nullptr
            ? none
            : say(text::when,
                  {{"seconds",
                    static_cast<double>(rank->clock.toRun(events.samples.front().timeNs)) / kNsPerS}});
    return say(text::line, {{"first", events.samples.size() > 1 ? text::first : none},
                            {"when", when},
                            {"line", lineOf(events, 0)}});
}

void addEvidence(const Context& context, const LogEvents& events, Finding& finding)
{
    if (const model::Rank* const rank = rankOn(context.run, *events.process)) {
        finding.evidence.push_back({rank->rank, rank->clock.toRun(events.samples.front().timeNs),
                                    rank->clock.toRun(events.samples.back().timeNs), text::span});
    }
}

} // namespace

std::vector<LogEvents> logEventsOf(const model::Model& run)
{
    std::vector<LogEvents> all;
    for (const trace::ProcessTrace& process : run.trace.processes) {
        for (const trace::SeriesRow& series : process.series) {
            if (series.source.text() != trace::kKernelLog) {
                continue;
            }
            LogEvents events{&process, &series, {}};
            for (std::size_t i = 0; i < process.samples.size(); ++i) {
                if (process.samples.series[i] == static_cast<std::uint32_t>(series.id)) {
                    events.samples.push_back({process.samples.timeNs[i], process.samples.value[i]});
                }
            }
            all.push_back(std::move(events));
        }
    }
    return all;
}

std::string_view lineOf(const LogEvents& events, std::size_t index)
{
    return events.process->text(static_cast<trace::StringId>(events.samples[index].value));
}

const model::Rank* rankOn(const model::Model& run, const trace::ProcessTrace& process)
{
    for (const model::Rank& rank : run.ranks) {
        const trace::ProcessRow& row = run.processOf(rank).process;
        if (row.host == process.process.host && row.bootId == process.process.bootId &&
            !run.processOf(rank).ranks.empty()) {
            return &rank;
        }
    }
    return nullptr;
}

Finding logFinding(const Context& context, const LogEvents& events, const words::Template& title,
                   words::Text what)
{
    const std::size_t times = events.samples.size();
    Finding finding;
    finding.limit = Limit::Link;
    finding.title = say(title, {{"device", deviceText(context, events)},
                                {"what", std::move(what)},
                                {"times", times > 1 ? say(text::times, {{"times", times}}) : words::Text()},
                                {"first", firstText(context, events)}});
    finding.figures = {{"messages", Unit::Count, static_cast<double>(times), {}}};
    finding.links = {events.process->process.host + " " + events.series->entity};
    addEvidence(context, events, finding);
    return finding;
}

} // namespace ringside::rules
