// SPDX-License-Identifier: Apache-2.0
#include "words/not_known.h"

#include "conditions/condition.h"
#include "doctor/check.h"
#include "doctor/recorded.h"
#include "report/links.h"
#include "words/render.h"

#include <algorithm>
#include <array>

namespace ringside::doctor {
namespace {

using conditions::Condition;
using conditions::Rung;
using conditions::Scope;
using conditions::Subject;

/// Where the rows of some rules come from.
struct Source {
    const words::Template* why;
    std::string_view command;
    std::array<std::string_view, 5> rules;
};
namespace why = words::not_known;
// A rule that is in no line has rows whose absence means nothing, such as a quota.
constexpr Source kSources[] = {
    {&why::counters,
     "ringside links --live --count 2",
     {"rdma_link_errors", "rdma_port_down", "rdma_retransmissions", "rdma_congestion"}},
    {&why::module, "sudo mlxlink -d DEVICE -m -c", {"link_margin"}},
    {&why::nvml,
     "nvidia-smi -q -x",
     {"ecc_errors", "clock_throttling", "row_remap", "persistence_mode", "pcie_link_degraded"}},
    {&why::sampled, "ringside record -- COMMAND", {"gpu_temperature_high", "pcie_errors", "nvlink_errors"}},
    {&why::kernel_log, "sudo dmesg", {"xid_errors"}},
    {&why::limits, "ulimit -Hln", {"memlock_low", "open_files_low"}},
    {&why::shared_memory, "df /dev/shm", {"shm_small"}},
    {&why::libraries, "ldconfig -p", {"versions_old"}},
    {&why::governor, "", {"cpu_clock"}},
    {&why::pressure, "cat /proc/pressure/cpu", {"cpu_busy", "memory_busy"}},
};

/// What rules read that are no rows, because they compare ports.
struct Compared {
    trace::SeriesMetric metric;
    std::string_view rule;
};
const Compared kCompared[] = {{"mtu_bytes", "mtu_mismatch"},
                              {"rate_mbps", "rdma_rate_low"},
                              {"rx_bytes", "nic_imbalance"},
                              {"state", "rdma_port_down"},
                              {"tx_bytes", "nic_imbalance"}};

const Source* sourceOf(std::string_view rule)
{
    const auto* const found = std::ranges::find_if(kSources, [rule](const Source& source) {
        return std::ranges::find(source.rules, rule) != source.rules.end();
    });
    return found == std::end(kSources) ? nullptr : found;
}

/// Whether the fact is only there where something is wrong.
bool isOnlyTold(const Condition& row)
{
    return row.more.applies == nullptr &&
           std::ranges::all_of(row.rungs, [](const Rung& rung) { return rung.how == conditions::How::Told; });
}

struct Asked {
    bool answered = false;
    bool once = false; ///< a counter was read, but shows no gain yet
    std::vector<std::string> rules;
};

void addRule(std::string_view rule, std::vector<std::string>& rules)
{
    if (std::ranges::find(rules, rule) == rules.end()) {
        rules.emplace_back(rule);
    }
}

/// What the device or the kernel refused: the first reason, and how many more there are.
void addRefused(const std::vector<std::string>& rules, const std::vector<std::string>& reasons,
                std::vector<NotKnown>& all)
{
    if (!reasons.empty()) {
        const words::Template& said = reasons.size() > 1 ? why::refused_more : why::refused;
        const words::Text text =
            words::say(said, {{"quote", reasons.front()}, {"count", reasons.size() - 1}});
        all.push_back({rules, {}, words::render(text, {}), ""});
    }
}

/// Returns what was not read of a subject. Rows whose fact is only there where something is wrong are not
/// among it, and neither are counters that this kind of device does not have while it has others.
std::vector<NotKnown> unreadOf(const Subject& subject, Scope scope)
{
    std::array<Asked, std::size(kSources)> asked;
    std::vector<std::string> refusedRules;
    std::vector<std::string> reasons;
    for (const Condition& row : conditions::allConditions()) {
        const Source* const source = sourceOf(row.rule);
        if (row.scope != scope || source == nullptr || isOnlyTold(row) ||
            (row.more.applies != nullptr && !row.more.applies(subject))) {
            continue;
        }
        Asked& to = asked[static_cast<std::size_t>(source - kSources)];
        if (const auto refused = subject.missing.find(row.metric); refused != subject.missing.end()) {
            addRule(row.rule, refusedRules);
            reasons.push_back(refused->second);
            to.answered = true; // said with its own reason
        } else if (readingOf(subject, row)) {
            to.answered = true;
        } else {
            to.once = to.once || subject.first(row.metric).has_value();
            addRule(row.rule, to.rules);
        }
    }
    for (const auto& [metric, rule] : kCompared) {
        if (const auto refused = subject.missing.find(metric); refused != subject.missing.end()) {
            addRule(rule, refusedRules);
            reasons.push_back(refused->second);
        }
    }
    std::vector<NotKnown> all;
    addRefused(refusedRules, reasons, all);
    for (const Source& source : kSources) {
        const Asked& to = asked[static_cast<std::size_t>(&source - kSources)];
        if (!to.rules.empty() && (to.once || !to.answered)) {
            all.push_back(
                {to.rules,
                 {},
                 words::render(to.once ? words::Text(why::counters_once) : words::Text(*source.why), {}),
                 std::string(source.command)});
        }
    }
    return all;
}

/// Puts subjects that lack the same for the same reason together: eight ports are one line to read.
void add(const Subject& subject, Scope scope, std::vector<NotKnown>& all)
{
    for (const NotKnown& one : unreadOf(subject, scope)) {
        auto same = std::ranges::find_if(all, [&](const NotKnown& said) {
            return said.checks == one.checks && said.reason == one.reason;
        });
        if (same == all.end()) {
            same = all.insert(all.end(), one);
        }
        if (!subject.name.empty()) {
            same->subjects.push_back(subject.name);
        }
    }
}

} // namespace

std::vector<NotKnown> notKnown(const Facts& facts)
{
    const report::Report report = report::buildReport(recordedOf(facts), {});
    std::vector<NotKnown> all;
    for (const Subject& port : report.metrics.ports) {
        add(port, Scope::Port, all);
    }
    for (const std::string& name : facts.namesAfter("gpu.")) {
        const auto read = std::ranges::find(report.metrics.gpus, name, &Subject::name);
        Subject silent;
        silent.name = name;
        add(read == report.metrics.gpus.end() ? silent : *read, Scope::Gpu, all);
    }
    add(hostOf(facts), Scope::Host, all);
    return all;
}

} // namespace ringside::doctor
