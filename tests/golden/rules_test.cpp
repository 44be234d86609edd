// SPDX-License-Identifier: Apache-2.0
// Every rule against its two runs and their written-down findings.
#include "golden_json.h"
#include "report_of_run.h"
#include "rule_cases.h"
#include "sampled_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ringside::test {
namespace {

class RuleTest : public testing::TestWithParam<RuleCase> {
protected:
    [[nodiscard]] const RuleCase& rule() const { return GetParam(); }
    [[nodiscard]] Json findings(const TrainingRun& run, const std::vector<std::string>& settings = {}) const
    {
        return findingsOf(reportOf(run, settings), rule().rule);
    }
};

/// The first without what is null or empty, the others without what the finding before has, too.
Json shortened(const Json& findings)
{
    Json all = Json::array();
    for (std::size_t i = 0; i < findings.size(); ++i) {
        Json kept = Json::object();
        for (const auto& [name, value] : findings[i].items()) {
            if (name != "rule" && (i == 0 ? !value.empty() : findings[i - 1][name] != value)) {
                kept[name] = value;
            }
        }
        all.push_back(kept);
    }
    return all;
}

TEST_P(RuleTest, FindsWhatIsWrong)
{
    const Json found = findings(rule().positive);
    ASSERT_FALSE(found.empty());
    expectGolden(shortened(found),
                 std::filesystem::path(RINGSIDE_GOLDEN_DIRECTORY) / (rule().rule + ".json"));
}

TEST_P(RuleTest, IsSilentOnAHealthyRun)
{
    const Json report = reportOf(rule().negative);
    EXPECT_TRUE(findingsOf(report, rule().rule).empty());
    for (const Json& missing : report["not_applicable"]) {
        EXPECT_NE(missing["rule"], rule().rule) << "silence must come from judging, not from missing data";
    }
}

TEST_P(RuleTest, ThresholdsDecide)
{
    if (rule().silence.empty() && rule().provoke.empty()) {
        for (const rules::Rule* each : rules::all()) {
            EXPECT_TRUE(each->id != rule().rule || each->options.empty()) << "its options are not tested";
        }
        return;
    }
    if (!rule().silence.empty()) {
        EXPECT_TRUE(findings(rule().positive, rule().silence).empty());
    }
    if (!rule().provoke.empty()) { // what is only true or false has no threshold to lower
        EXPECT_FALSE(findings(rule().negative, rule().provoke).empty());
    }
}

TEST_P(RuleTest, ReportsWhatItNeedsIfThatIsMissing)
{
    TrainingRun run = rule().positive;
    rule().takeAway(run);
    const Json report = reportOf(run);
    EXPECT_TRUE(findingsOf(report, rule().rule).empty());
    bool said = false;
    for (const Json& missing : report["not_applicable"]) {
        said = said || (missing["rule"] == rule().rule && !missing["reason"].get<std::string>().empty());
    }
    EXPECT_TRUE(said);
}

INSTANTIATE_TEST_SUITE_P(Golden, RuleTest, testing::ValuesIn(ruleCases()),
                         [](const auto& each) { return each.param.rule; });

TEST(RuleCases, CoverEveryRule)
{
    std::vector<std::string> covered;
    for (const RuleCase& each : ruleCases()) {
        covered.push_back(each.rule);
    }
    std::vector<std::string> existing;
    for (const rules::Rule* rule : rules::all()) {
        existing.emplace_back(rule->id);
    }
    std::sort(covered.begin(), covered.end());
    EXPECT_EQ(covered, existing);
}

/// A rule that was renamed or left out must not stay in another one's list.
TEST(Rules, AreOnlyPartOfRulesThatExist)
{
    std::size_t references = 0;
    for (const rules::Rule* rule : rules::all()) {
        for (const std::string_view holder : rule->partOf) {
            EXPECT_NE(rules::findRule(holder), nullptr) << rule->id << " names " << holder;
            EXPECT_NE(holder, rule->id);
            ++references;
        }
    }
    EXPECT_GT(references, 0U);
    for (const RuleCase& each : ruleCases()) {
        const Json report = reportOf(each.positive);
        for (const Json& finding : report["findings"]) {
            EXPECT_TRUE(finding["part_of"].is_null() ||
                        rules::findRule(finding["part_of"].get<std::string>()) != nullptr)
                << finding.dump(1);
        }
    }
    EXPECT_EQ(rules::findRule("no_such_rule"), nullptr);
}

TEST(HealthyRun, HasNothingWorthAWarning)
{
    const Json report = reportOf(TrainingRun{});
    for (const Json& finding : report["findings"]) {
        EXPECT_EQ(finding["severity"], "info") << finding.dump(1);
    }
}

/// Whatever else shows in such a run, the reader meets the reason first. Of the cases with one thing wrong.
TEST(RuleCases, NameTheReasonFirst)
{
    const std::set<std::string> single = {"clock_throttling",
                                          "collective_mismatch",
                                          "collective_missing_rank",
                                          "data_loading_stall",
                                          "data_skew",
                                          "ecc_errors",
                                          "host_bound",
                                          "inter_node_latency_high",
                                          "large_last_bucket",
                                          "late_rank",
                                          "sync_in_loop",
                                          "xid_errors"};
    for (const RuleCase& each : ruleCases()) {
        if (single.contains(each.rule)) {
            const Json findings = reportOf(each.positive)["findings"];
            ASSERT_FALSE(findings.empty());
            EXPECT_EQ(findings[0]["rule"], each.rule) << findings.dump(1).substr(0, 1500);
        }
    }
}

/// A script that reads figures must be able to tell a bandwidth from a ratio.
TEST(Figures, HaveTheUnitOfTheirName)
{
    const std::vector<std::pair<std::string, std::string>> units{
        {"_gb_s", "GB/s"},       {"_gbps", "Gb/s"},
        {"a_second", "1/s"},     {"a_minute", "1/min"},
        {"_celsius", "celsius"}, {"hours_until_full", "hours"},
        {"_ns", "ns"},           {"_ns_per_step", "ns"},
        {"_bytes", "bytes"},     {"bytes_per_step", "bytes"},
        {"_share", "share"},     {"_ratio", "ratio"}};
    std::set<std::string> seen;
    for (const RuleCase& each : ruleCases()) {
        const Json report = reportOf(each.positive);
        for (const Json& finding : report["findings"]) {
            for (const auto& [name, figure] : finding["figures"].items()) {
                for (const auto& [end, unit] : units) {
                    if (name.ends_with(end)) {
                        EXPECT_EQ(figure["unit"], unit) << each.rule << ": " << name;
                        seen.insert(end);
                    }
                }
            }
        }
    }
    for (const char* end : {"_gb_s", "_gbps", "a_minute", "_celsius"}) {
        EXPECT_TRUE(seen.contains(end)) << "no case has a figure of " << end;
    }
}

/// Every sixth step has more compute, on one rank or on all.
TEST(StepTimeJitter, NamesTheRankThatOthersWaitFor)
{
    const auto found = [](int rank) {
        TrainingRun run;
        run.extraNs = [rank](std::int64_t step, int of) {
            return step % 6 == 0 && (rank == of || rank < 0) ? 20 * kMillisecond : 0;
        };
        return findingsOf(reportOf(run), "step_time_jitter");
    };
    ASSERT_EQ(found(2).size(), 1U);
    EXPECT_EQ(found(2)[0]["ranks"], Json::array({2}));
    EXPECT_NE(found(2)[0]["title"].get<std::string>().find("wait for rank 2"), std::string::npos);
    ASSERT_EQ(found(-1).size(), 1U);
    EXPECT_EQ(found(-1)[0]["ranks"], Json::array());
}

/// What one rank always has more is compute_imbalance's; the rest is still there.
TEST(DataSkew, IsSeenBesideARankThatAlwaysComputesLonger)
{
    TrainingRun run;
    run.extraNs = [](std::int64_t step, int rank) {
        return (rank == 3 ? 10 : step % 3 == rank ? 12 : 0) * kMillisecond;
    };
    EXPECT_EQ(findingsOf(reportOf(run), "data_skew").size(), 1U);
    EXPECT_EQ(findingsOf(reportOf(run), "compute_imbalance").size(), 1U);
}

/// Gradients that travel twice a step bring two maps; and a map may start when the next step has begun.
TEST(UnusedParameterSearch, IsSeenWithEachPassAndAcrossTheEndOfAStep)
{
    TrainingRun run;
    run.bytesPerNs = 2;
    run.edit = [](TraceBuilder& trace) {
        constexpr std::uint64_t kMap = 256; // 64 integers
        constexpr std::int64_t kInt32 = 2;
        for (int rank = 0; rank < trace.ranks(); ++rank) {
            trace::ProcessTrace& process = trace.process(rank);
            for (trace::CollectiveCallRow& call : process.collectiveCalls) {
                call.datatype = call.bytes == kMap ? kInt32 : call.datatype;
            }
            for (std::size_t step = 3; step < process.steps.size(); step += 3) {
                const std::int64_t last = process.collectiveCalls[step * 6 - 1].startNs;
                process.steps[step - 1].endNs = last - 100;
                process.steps[step].startNs = last - 100;
            }
        }
    };
    run.buckets = {4U << 20U, 8U << 20U, 256, 4U << 20U, 8U << 20U, 256};
    EXPECT_EQ(findingsOf(reportOf(run), "unused_parameter_search").size(), 1U);
}

TEST(EccErrors, ACounterThatWasNotSampledHasNoFigure)
{
    const std::vector<RuleCase> cases = ruleCases();
    const auto ecc = std::find_if(cases.begin(), cases.end(),
                                  [](const RuleCase& each) { return each.rule == "ecc_errors"; });
    const Json findings = findingsOf(reportOf(ecc->negative, {"ecc_errors.corrected=1"}), "ecc_errors");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_TRUE(findings[0]["figures"].contains("corrected_errors"));
    EXPECT_FALSE(findings[0]["figures"].contains("uncorrected_errors")) << findings.dump(1);
    EXPECT_NE(findings[0]["title"].get<std::string>().find("an unknown number of uncorrected"),
              std::string::npos);
}

/// The finding of rule `rule` in a run with such samples of GPUs.
Json gpuFinding(const std::string& rule, const Edit& samples)
{
    TrainingRun run;
    run.edit = samples;
    const Json found = findingsOf(reportOf(run), rule);
    return found.empty() ? Json() : found[0];
}

TEST(NvlinkErrors, ALinkThatIsDownIsNamed)
{
    const Json down = gpuFinding("nvlink_errors", gauge("nvlink_links_up", [](int rank, double place) {
                                     return rank == 2 && place > 0.5 ? 11 : 12;
                                 }));
    ASSERT_TRUE(down.is_object());
    EXPECT_EQ(down["severity"], "problem");
    EXPECT_EQ(down["ranks"], Json::array({2}));
    EXPECT_EQ(down["title"], "The GPU of rank 2 has fewer NVLinks than it should: 11 of 12 NVLinks up, some "
                             "went down in this run");
}

TEST(NvlinkErrors, OfSeveralCountersAreOneFinding)
{
    TrainingRun run;
    const auto grows = [](const trace::SeriesMetric& metric, double whole) {
        return counter(metric, [whole](int rank, double place) {
            return rank == 1 ? static_cast<std::int64_t>(place * whole) : 0;
        });
    };
    run.edit = all({grows("nvlink_replays", 20), grows("nvlink_recoveries", 1)});
    const Json found = findingsOf(reportOf(run), "nvlink_errors");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["title"], "The GPU of rank 1 had 20 NVLink replays; 1 NVLink recovery in this run");
    EXPECT_EQ(found[0]["figures"]["replays"]["value"], 20);
    EXPECT_EQ(found[0]["figures"]["recoveries"]["value"], 1);
}

TEST(NvlinkErrors, ManyChecksumErrorsASecondAreAProblem)
{
    const auto severity = [](double whole) {
        const Json found =
            gpuFinding("nvlink_errors", counter("nvlink_crc_flit_errors", [whole](int, double place) {
                           return static_cast<std::int64_t>(place * whole);
                       }));
        return found.is_object() ? found["severity"].get<std::string>() : "none";
    };
    EXPECT_EQ(severity(50), "info") << "links repair such in passing";
    EXPECT_EQ(severity(1e6), "problem");
}

TEST(NvlinkErrors, BitErrorRatesThatCorrectionLeavesAreAProblem)
{
    const auto found = [](const trace::SeriesMetric& metric, std::int64_t worst) {
        return gpuFinding("nvlink_errors", gauge(metric, [worst](int rank, double place) {
                              return rank == 2 && place > 0.5 ? worst : 0;
                          }));
    };
    EXPECT_TRUE(found("nvlink5_effective_errors_per_1e18", 1'000'000).is_null()) << "DCGM's limit itself";
    EXPECT_TRUE(found("nvlink5_symbol_errors_per_1e18", 0).is_null());
    const Json bits = found("nvlink5_effective_errors_per_1e18", 3'000'000);
    ASSERT_TRUE(bits.is_object());
    EXPECT_EQ(bits["severity"], "problem");
    EXPECT_EQ(bits["ranks"], Json::array({2}));
    EXPECT_EQ(bits["title"],
              "The GPU of rank 2 has an NVLink with an error rate of 3e-12 of its bits after correction");
    EXPECT_TRUE(found("nvlink5_effective_errors_per_1e18", 1'000).is_null()) << "1e-15 is normal";
    EXPECT_TRUE(found("nvlink5_symbol_errors_per_1e18", 3'000'000'000).is_null()) << "before correction";
}

TEST(SlowLink, ReportsAProbeOfTheIdleNetwork)
{
    const auto title = [](double slowGBs) {
        const auto probed = [](const char* ends, double gbs) {
            return sampled("probe", ends, "tcp_bytes_per_s", "gauge",
                           [gbs](int, double) { return static_cast<std::int64_t>(gbs * 1e9); });
        };
        TrainingRun run;
        run.hosts = 4;
        run.edit = all({proxyMessages(0.3), probed("host2 > host3", slowGBs), probed("host0 > host1", 10),
                        probed("host1 > host2", 10), probed("host3 > host0", 10)});
        const Json found = findingsOf(reportOf(run), "slow_link");
        return found.empty() ? std::string() : found[0]["title"].get<std::string>();
    };
    EXPECT_NE(title(3).find(
                  "measured it over TCP at 30.0 % of the others' rate, so it is slow without the job too"),
              std::string::npos)
        << title(3);
    EXPECT_NE(title(10).find("so something else slows it down while the job runs"), std::string::npos)
        << title(10);
}

TEST(PcieLinkDegraded, OnlyALowerGenerationIsAWarning)
{
    const auto constant = [](const trace::SeriesMetric& metric, std::int64_t value) {
        return gauge(metric, [value](int, double) { return value; });
    };
    const Json found = gpuFinding("pcie_link_degraded",
                                  all({constant("pcie_lanes", 16), constant("pcie_lanes_max", 16),
                                       constant("pcie_generation", 3), constant("pcie_generation_max", 4)}));
    ASSERT_TRUE(found.is_object());
    EXPECT_EQ(found["severity"], "warning");
    EXPECT_NE(found["title"].get<std::string>().find("generation 3 of 4"), std::string::npos);
}

TEST(PcieLinkDegraded, ACardsLinkIsJudgedByWhatItsPortNeeds)
{
    const auto severity = [](const char* mbps, double bytes) {
        const auto told = [](const char* name, const char* value) -> Edit {
            return [=](TraceBuilder& trace) { trace.setting("network", name, value); };
        };
        const Json found = gpuFinding(
            "pcie_link_degraded",
            all({sampled("network", "eth0", "tx_bytes", "counter",
                         [bytes](int, double place) { return static_cast<std::int64_t>(bytes * place); }),
                 told("eth0 speed_mbps", mbps), told("eth0 pcie_mbps", "126030"),
                 told("eth0 operstate", "up")}));
        return found.is_object() ? found["severity"].get<std::string>() : "none";
    };
    EXPECT_EQ(severity("200000", 1e9), "problem");
    EXPECT_EQ(severity("200000", 1e3), "info") << "nobody's data went through it";
    EXPECT_EQ(severity("100000", 1e9), "none");
}

TEST(SocketInterface, IsNotBlamedWhereRdmaCarriedTheGradients)
{
    const auto found = [](std::int64_t rdmaGigabytes) {
        TrainingRun run;
        run.hosts = 2;
        run.edit = all({activePort(rdmaGigabytes),
                        sampled("network", "eth0", "tx_bytes", "counter",
                                [](int, double place) { return static_cast<std::int64_t>(10e9 * place); }),
                        [](TraceBuilder& trace) {
                            for (const auto& [name, value] :
                                 {std::pair("eth0 speed_mbps", "1000"), std::pair("ib0 speed_mbps", "200000"),
                                  std::pair("ib0 physical", "yes"), std::pair("ib0 operstate", "up")}) {
                                trace.setting("network", name, value);
                            }
                        }});
        return findingsOf(reportOf(run), "socket_interface");
    };
    EXPECT_EQ(found(0)[0]["links"].size(), 2U);
    EXPECT_EQ(found(500)[0]["links"].size(), 1U) << "the other host has no port";
}

TEST(GdrUnused, NcclsLogHasTheLastWord)
{
    const auto found = [](const char* connections) {
        return gpuFinding("gdr_unused", [connections](TraceBuilder& trace) {
            trace.setting("machine", "gpu_direct", "none").setting("nccl", connections, "8");
        });
    };
    const Json copied = found("connections via NET/IB");
    ASSERT_TRUE(copied.is_object());
    EXPECT_NE(copied["title"].get<std::string>().find("8 connections via NET/IB, none with GDRDMA"),
              std::string::npos);
    EXPECT_FALSE(found("connections via NET/IB/GDRDMA/Shared").is_object());
    EXPECT_FALSE(found("connections via P2P/CUMEM").is_object());
}

TEST(RowRemap, AFailedRemappingIsAProblem)
{
    const auto severity = [](const trace::SeriesMetric& metric, std::int64_t value) {
        const Json found = gpuFinding("row_remap", gauge(metric, [value](int, double) { return value; }));
        return found.is_object() ? found["severity"].get<std::string>() : "none";
    };
    EXPECT_EQ(severity("row_remap_failed", 1), "problem");
    EXPECT_EQ(severity("row_remap_failed", 0), "none");
    EXPECT_EQ(severity("retired_pages_uncorrected", 15), "none");
    EXPECT_EQ(severity("retired_pages_uncorrected", 16), "warning");
    EXPECT_EQ(severity("retired_pages_uncorrected", 63), "problem");
    EXPECT_EQ(severity("retired_pages_pending", 1), "warning");
}

TEST(Advice, BlamesManyMessagesOnlyWhereThereAreMany)
{
    TrainingRun run;
    run.overlap = false;
    run.latencyNs = 4'000'000; // most of the time of two messages, and no fewer would do
    const Json report = reportOf(run);
    const Json exposed = findingsOf(report, "exposed_communication");
    ASSERT_EQ(exposed.size(), 1U);
    EXPECT_TRUE(findingsOf(report, "small_messages").empty());
    EXPECT_EQ(exposed[0]["advice"].get<std::string>().find("many messages"), std::string::npos)
        << exposed[0]["advice"];
}

TEST(ExposedCommunication, MissingOverlapCountsWhereLittleIsExposed)
{
    const auto titles = [](const TrainingRun& run, const std::vector<std::string>& settings = {}) {
        std::string all;
        for (const Json& finding : findingsOf(reportOf(run, settings), "exposed_communication")) {
            all += finding["title"].get<std::string>();
        }
        return all;
    };
    TrainingRun run;
    EXPECT_EQ(titles(run), "") << "all but the last message overlap";
    run.overlap = false;
    EXPECT_NE(titles(run).find("no gradient message begins before backward is nearly over"),
              std::string::npos)
        << titles(run);
    EXPECT_EQ(titles(run, {"exposed_communication.no_overlap_share=0.5"}), "");
    EXPECT_EQ(titles(run, {"exposed_communication.most_compute=1.1"}), "");
    run.buckets = {12U << 20U};
    EXPECT_EQ(titles(run), "") << "a single message may be one that nobody tried to overlap";
}

} // namespace
} // namespace ringside::test
