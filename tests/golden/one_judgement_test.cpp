// SPDX-License-Identifier: Apache-2.0
// What reports, top and the doctor say of GPUs and hosts comes from one table: none warns of what another
// passes over. port_fixture_test holds the same of ports.
#include "doctor/check.h"
#include "doctor/recorded.h"
#include "live/complaints.h"
#include "report/report.h"
#include "rule_cases.h"

#include <gtest/gtest.h>

#include <map>

namespace ringside::test {
namespace {

using conditions::Subject;
using rules::Severity;

/// The worst severity of each rule from a warning on.
using Judgement = std::map<std::string, Severity>;

void add(std::string_view rule, Severity severity, Judgement& all)
{
    if (severity > Severity::Info) {
        Severity& worst = all[std::string(rule)];
        worst = std::max(worst, severity);
    }
}

Judgement byTheTable(const Subject& subject)
{
    Judgement all;
    for (const conditions::Judged& each : conditions::judge(subject, conditions::allConditions())) {
        add(each.condition->rule, each.severity, all);
    }
    return all;
}

Judgement byTheReport(const report::Report& report, std::int64_t rank)
{
    Judgement all;
    for (const rules::Finding& finding : report.findings) {
        if (std::ranges::find(finding.ranks, rank) != finding.ranks.end()) {
            add(finding.rule, finding.severity, all);
        }
    }
    return all;
}

/// What the collector's snapshot holds of a GPU: the first and the latest value of each series.
live::RunNow snapshotOf(const Subject& gpu)
{
    constexpr std::int64_t kNsAMs = 1'000'000;
    constexpr std::int64_t kBeganMs = 1'800'000'000'000;
    live::RunNow now;
    now.hosts.resize(1);
    live::Process& process = now.hosts.front().processes.emplace_back();
    for (const auto& [metric, values] : gpu.values) {
        process.samples.push_back({"nvml", gpu.name, std::string(metric.text()), values.back().value,
                                   values.front().value, kBeganMs + values.back().timeNs / kNsAMs,
                                   kBeganMs + values.front().timeNs / kNsAMs});
    }
    return now;
}

void expectOneJudgement(const TrainingRun& run, const std::string& what, std::set<std::string>& seen)
{
    const report::Report report = report::buildReport(simulate(run), {});
    for (const Subject& gpu : report.metrics.gpus) {
        const Judgement table = byTheTable(gpu);
        const Judgement said = byTheReport(report, report.model.ranks[*gpu.rank].rank);
        for (const auto& [rule, severity] : table) {
            seen.insert(rule);
            EXPECT_TRUE(said.contains(rule) && said.at(rule) >= severity)
                << what << ": of " << gpu.name << ", only the table warns by " << rule;
        }
        for (const live::Complaint& each : live::findComplaints(snapshotOf(gpu))) {
            EXPECT_FALSE(table.empty()) << what << ": only top says " << each.what;
        }
    }
}

TEST(OneJudgement, ReportsAndTopSayOfGpusWhatTheTableSays)
{
    std::set<std::string> seen;
    for (const RuleCase& each : deviceCases()) {
        expectOneJudgement(each.positive, each.rule + ", sick", seen);
        expectOneJudgement(each.negative, each.rule + ", well", seen);
    }
    for (const char* rule :
         {"clock_throttling", "gpu_clock_spread", "nvlink_errors", "row_remap", "xid_errors"}) {
        EXPECT_TRUE(seen.contains(rule)) << "no case has " << rule;
    }
}

/// A value of a host under the names that the doctor and a recording give it.
struct HostCase {
    const char* fact;
    trace::SettingSource source;
    const char* setting;
    const char* value;
    const char* rule; ///< that warns
};

void PrintTo(const HostCase& each, std::ostream* stream)
{
    *stream << each.setting << " " << each.value;
}

class Hosts : public testing::TestWithParam<HostCase> {};

TEST_P(Hosts, areJudgedAlikeByReportsAndTheDoctor)
{
    const HostCase& host = GetParam();
    doctor::Facts facts;
    facts.set("rdma.mlx5_0.state", "4: ACTIVE");
    facts.set(host.fact, host.value);
    Judgement doctors;
    for (const doctor::Advice& each : doctor::examine(facts, {})) {
        add(each.check, each.severity, doctors);
    }
    TrainingRun run;
    run.edit = [&](TraceBuilder& trace) {
        trace.setting("machine", "rdma_devices", "mlx5_0");
        trace.setting(host.source, host.setting, host.value);
    };
    const Judgement reports = byTheReport(report::buildReport(simulate(run), {}), 0);
    const std::string rule = *host.rule != '\0' ? host.rule : "nothing";
    EXPECT_EQ(doctors.contains(rule), *host.rule != '\0');
    for (const char* each : {"memlock_low", "shm_small", "versions_old"}) {
        EXPECT_EQ(doctors.contains(each), reports.contains(each)) << each;
        if (doctors.contains(each) && reports.contains(each)) {
            EXPECT_EQ(doctors.at(each), reports.at(each)) << each;
            EXPECT_EQ(rule, each);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, Hosts,
    testing::Values(HostCase{"limit.memlock_bytes", "process", "memlock_bytes", "65536", "memlock_low"},
                    HostCase{"limit.memlock_bytes", "process", "memlock_bytes", "16777216", "memlock_low"},
                    HostCase{"limit.memlock_bytes", "process", "memlock_bytes", "unlimited", ""},
                    HostCase{"memory.shm_bytes", "machine", "shm_bytes", "1000", "shm_small"},
                    HostCase{"memory.shm_bytes", "machine", "shm_bytes", "67108864", "shm_small"},
                    HostCase{"memory.shm_bytes", "machine", "shm_bytes", "8589934592", ""},
                    HostCase{"memory.shm_bytes", "machine", "shm_bytes", "nonsense", ""}),
    [](const auto& each) { return "case" + std::to_string(each.index); });

} // namespace
} // namespace ringside::test
