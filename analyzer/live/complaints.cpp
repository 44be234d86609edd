// SPDX-License-Identifier: Apache-2.0
#include "live/complaints.h"

#include "words/render.h"

#include <algorithm>
#include <map>
#include <set>

namespace ringside::live {
namespace {

using conditions::Condition;
using conditions::Scope;
using conditions::Subject;

/// Whether the row can be read of what the source samples.
bool isOf(const Condition& row, std::string_view source)
{
    return source == (row.scope == Scope::Port ? "rdma" : "nvml");
}

/// What a process samples of ports and GPUs, by source and name, each with its first and its latest reading.
std::map<std::pair<std::string, std::string>, Subject> subjectsOf(const Process& process)
{
    constexpr std::int64_t kNsAMs = 1'000'000;
    std::map<std::pair<std::string, std::string>, Subject> subjects;
    for (const Sample& sample : process.samples) {
        Subject& subject = subjects[{sample.source, sample.entity}];
        subject.name = sample.entity;
        const std::int64_t firstMs = sample.firstAtMs > 0 ? sample.firstAtMs : sample.atMs;
        subject.values[trace::SeriesMetric::stored(sample.metric)] = {{firstMs * kNsAMs, sample.first},
                                                                      {sample.atMs * kNsAMs, sample.value}};
    }
    return subjects;
}

std::vector<conditions::Judged> troublesOf(std::string_view source, const Subject& subject)
{
    std::vector<conditions::Judged> held = conditions::judge(subject, conditions::allConditions());
    std::erase_if(held, [&](const conditions::Judged& each) {
        return each.severity < trace::Severity::Warning || !isOf(*each.condition, source);
    });
    return held;
}

} // namespace

bool countsErrors(const Sample& sample)
{
    const auto rises = [](const conditions::Rung& rung) {
        return rung.severity > trace::Severity::Info &&
               (rung.how == conditions::How::Gain || rung.how == conditions::How::BitErrorRate);
    };
    return std::ranges::any_of(conditions::allConditions(), [&](const Condition& row) {
        return isOf(row, sample.source) && row.metric.text() == sample.metric &&
               row.more.unit == values::Unit::Count && std::ranges::any_of(row.rungs, rises);
    });
}

std::vector<Complaint> findComplaints(const RunNow& run)
{
    std::vector<Complaint> complaints;
    std::set<std::pair<std::string, std::string>> said;
    for (const Snapshot& host : run.hosts) {
        for (const Process& process : host.processes) {
            for (const auto& [name, subject] : subjectsOf(process)) {
                for (const conditions::Judged& trouble : troublesOf(name.first, subject)) {
                    std::string what = words::render(trouble.what, {});
                    if (said.emplace(host.host, name.second + what).second) {
                        complaints.push_back({host.host, name.second, std::move(what)});
                    }
                }
            }
        }
    }
    return complaints;
}

} // namespace ringside::live
