// SPDX-License-Identifier: Apache-2.0
#include "live/live_part.h"

#include "api/functions.h"
#include "live/live_series.h"

#include <ringside/trace/live_snapshot.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>

namespace ringside::collector::live {
namespace {

// Kept and shown. A job of short steps has more than are shown between two texts: its reader sees the last.
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostCommunicators = 64;
constexpr std::size_t kMostCommunicatorsShown = 16;
constexpr std::size_t kMostCalls = 8;
constexpr std::size_t kMostSamples = 256;

/// An object or array of JSON, member by member.
class Members final {
public:
    Members& add(const char* name, const std::string& value)
    {
        m_text += (m_text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + value;
        return *this;
    }
    Members& add(const char* name, std::int64_t value) { return add(name, std::to_string(value)); }
    Members& add(const char* name, const std::optional<std::int64_t>& value)
    {
        return add(name, value ? std::to_string(*value) : "null");
    }
    [[nodiscard]] std::string object() const { return "{" + m_text + "}"; }

private:
    std::string m_text;
};

std::string arrayOf(const std::vector<std::string>& elements, const char* separator = ", ")
{
    std::string text;
    for (const std::string& element : elements) {
        text += (text.empty() ? "" : separator) + element;
    }
    return "[" + text + "]";
}

std::string hashText(std::uint64_t hash)
{
    char text[20];
    std::snprintf(text, sizeof text, "\"%016llx\"", static_cast<unsigned long long>(hash));
    return text;
}

/// Milliseconds since 1970: nanoseconds do not fit a number of JSON.
std::int64_t epochMs(const ProcessNow& now, std::int64_t monotonicNs)
{
    constexpr std::int64_t kNsAMs = 1'000'000;
    return (now.clock.realtimeNs + (monotonicNs - now.clock.monotonicNs)) / kNsAMs;
}

std::optional<std::int64_t> lengthOf(const std::optional<std::int64_t>& start,
                                     const std::optional<std::int64_t>& end)
{
    return start && end ? std::optional(*end - *start) : std::nullopt;
}

std::string rankText(const trace::RankRow& rank)
{
    return Members()
        .add("rank", rank.rank)
        .add("local_rank", rank.localRank)
        .add("world_size", rank.worldSize)
        .add("device", rank.device)
        .object();
}

} // namespace

void LivePart::see(const trace::CommunicatorRow& row)
{
    if (m_communicators.size() < kMostCommunicators || m_communicators.contains(row.id)) {
        Communicator& communicator = m_communicators[row.id];
        communicator.hash = row.hash;
        communicator.rank = row.rank;
        communicator.size = row.size;
    }
}

void LivePart::see(const trace::CollectiveCallRow& row)
{
    if (!row.graph) {
        issue(row.communicator, row.sequence, row.startNs);
    }
}

void LivePart::see(const trace::GraphLaunchRow& row)
{
    if (row.calls != 0) {
        issue(row.communicator, static_cast<std::int64_t>(row.sequence + row.calls) - 1, row.startNs);
    }
}

void LivePart::issue(std::int64_t communicator, std::int64_t sequence, std::int64_t ns)
{
    const auto known = m_communicators.find(communicator);
    if (known != m_communicators.end() && sequence >= known->second.sequence.value_or(sequence)) {
        known->second.sequence = sequence;
        known->second.issuedNs = std::max(known->second.issuedNs, ns);
    }
}

void LivePart::see(const trace::SeriesRow& row)
{
    const auto id = static_cast<std::uint32_t>(row.id);
    if (m_samples.size() < kMostSamples && isLive(row.source.text(), row.metric.text())) {
        m_samples.try_emplace(id, Sample{std::string(row.source.text()), row.entity,
                                         std::string(row.metric.text()), std::nullopt, 0, 0, 0});
    }
}

void LivePart::see(const trace::SampleRow& row)
{
    const auto sample = m_samples.find(row.series);
    if (sample != m_samples.end()) {
        if (!sample->second.first) {
            sample->second.first = row.value;
            sample->second.firstNs = row.timeNs;
        }
        sample->second.value = row.value;
        sample->second.timeNs = row.timeNs;
    }
}

void LivePart::see(const trace::HangRow& row)
{
    m_hang = row;
}

void LivePart::add(const summary::Summary& step)
{
    m_steps.insert(m_steps.end(), step.rows.begin(), step.rows.end());
    while (m_steps.size() > kMostSteps) {
        m_steps.pop_front();
    }
}

std::string LivePart::stepsText(const ProcessNow& now, std::size_t most) const
{
    std::vector<std::string> texts;
    for (std::size_t i = m_steps.size() - std::min(m_steps.size(), most); i < m_steps.size(); ++i) {
        const trace::StepSummaryRow& step = m_steps[i];
        texts.push_back(Members()
                            .add("id", step.id)
                            .add("number", step.number)
                            .add("source", trace::jsonText(step.source.text()))
                            .add("end_ms", epochMs(now, step.endNs))
                            .add("step_ns", step.endNs - step.startNs)
                            .add("launches", step.launches)
                            .add("collectives", step.collectives)
                            .add("blocking_ns", step.blockingNs)
                            .add("loading_ns", step.loadingNs)
                            .add("device", step.device)
                            .add("device_step_ns", lengthOf(step.deviceStartNs, step.deviceEndNs))
                            .add("compute_ns", step.computeNs)
                            .add("communication_ns", step.communicationNs)
                            .add("exposed_communication_ns", step.exposedCommunicationNs)
                            .add("exposed_copy_ns", step.exposedCopyNs)
                            .add("idle_ns", step.idleNs)
                            .add("nccl_ns", step.ncclNs)
                            .object());
    }
    return arrayOf(texts, ",\n ");
}

/// The largest, and those with a call in flight need no place of their own: they are the latest used.
std::string LivePart::communicatorsText(const ProcessNow& now) const
{
    std::vector<std::reference_wrapper<const Communicator>> shown;
    for (const auto& [id, communicator] : m_communicators) {
        shown.emplace_back(communicator);
    }
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Communicator& a, const Communicator& b) { return a.issuedNs > b.issuedNs; });
    shown.resize(std::min(shown.size(), kMostCommunicatorsShown), std::cref(m_communicators.begin()->second));
    std::vector<std::string> texts;
    for (const Communicator& each : shown) {
        texts.push_back(
            Members()
                .add("hash", hashText(each.hash))
                .add("rank", each.rank >= 0 ? std::optional(each.rank) : std::nullopt)
                .add("size", each.size > 0 ? std::optional(each.size) : std::nullopt)
                .add("sequence", each.sequence)
                .add("issued_ms", each.sequence ? std::optional(epochMs(now, each.issuedNs)) : std::nullopt)
                .object());
    }
    return arrayOf(texts);
}

std::string LivePart::callsText(const ProcessNow& now) const
{
    std::vector<std::string> texts;
    for (const trace::InFlightRow& call : now.calls) {
        if (texts.size() >= kMostCalls || call.api < 1 || call.api > kApiNames.size()) {
            continue;
        }
        const auto communicator = m_communicators.find(call.communicator);
        const bool known = communicator != m_communicators.end() && call.sequence >= 0;
        texts.push_back(Members()
                            .add("thread", call.thread)
                            .add("api", trace::jsonText(kApiNames[call.api - 1]))
                            .add("communicator", known ? hashText(communicator->second.hash) : "null")
                            .add("sequence", known ? std::optional(call.sequence) : std::nullopt)
                            .add("since_ms", epochMs(now, call.startNs))
                            .object());
    }
    return arrayOf(texts);
}

std::string LivePart::samplesText(const ProcessNow& now) const
{
    std::vector<std::string> texts;
    for (const auto& [id, sample] : m_samples) {
        if (sample.first) {
            texts.push_back(Members()
                                .add("source", trace::jsonText(sample.source))
                                .add("entity", trace::jsonText(sample.entity))
                                .add("metric", trace::jsonText(sample.metric))
                                .add("value", sample.value)
                                .add("first", *sample.first)
                                .add("first_at_ms", epochMs(now, sample.firstNs))
                                .add("at_ms", epochMs(now, sample.timeNs))
                                .object());
        }
    }
    return arrayOf(texts, ",\n ");
}

std::string LivePart::textWith(const ProcessNow& now, std::size_t mostSteps) const
{
    std::vector<std::string> ranks;
    std::transform(now.ranks.begin(), now.ranks.end(), std::back_inserter(ranks), rankText);
    const bool hangs = m_hang && !m_hang->endedNs;
    return Members()
               .add("process", trace::jsonText(now.base))
               .add("pid", now.pid)
               .add("at_ms", epochMs(now, now.clock.monotonicNs))
               .add("level", trace::jsonText(now.level))
               .add("emulated", now.emulated ? "true" : "false")
               .add("steps",
                    now.steps != 0 ? std::optional(static_cast<std::int64_t>(now.steps)) : std::nullopt)
               .add("ranks", arrayOf(ranks))
               .add("hang", hangs ? Members()
                                        .add("since_ms", epochMs(now, m_hang->sinceNs))
                                        .add("reason", trace::jsonText(m_hang->reason))
                                        .object()
                                  : "null")
               .add("calls", callsText(now))
               .add("communicators", communicatorsText(now))
               .add("recent_steps", stepsText(now, mostSteps))
               .add("samples", samplesText(now))
               .object() +
           "\n";
}

std::string LivePart::text(const ProcessNow& now) const
{
    std::size_t steps = kMostSteps;
    std::string text = textWith(now, steps);
    while (text.size() > trace::kMostPartBytes && steps > 0) {
        steps /= 2;
        text = textWith(now, steps);
    }
    return text;
}

} // namespace ringside::collector::live
