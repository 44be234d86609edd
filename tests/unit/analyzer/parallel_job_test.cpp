// SPDX-License-Identifier: Apache-2.0
// Jobs of several process groups: who is the origin of a delay, not who waits for it.
#include "report/report.h"
#include "support/parallel_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using namespace ringside;
using namespace ringside::test;

report::Report reportOf(const ParallelShape& shape, const PlantedFault& fault)
{
    return report::buildReport(playParallelJob(shape, fault).run(), {});
}

std::string textOf(const report::Report& report)
{
    std::string text = report.verdict.summary;
    for (const rules::Finding& finding : report.findings) {
        text += "\n" + finding.rule + ": " + finding.title;
    }
    for (const report::MissingRule& missing : report.notApplicable) {
        text += missing.inconclusive ? "\n(" + missing.rule + ": " + missing.reason + ")" : "";
    }
    return text;
}

bool isNamed(const report::Report& report, std::string_view rule)
{
    return std::ranges::find(report.findings, rule, &rules::Finding::rule) != report.findings.end();
}

TEST(ParallelJob, NamesTheSlowStageNotTheNeighbourThatWaits)
{
    for (const bool pairs : {false, true}) {
        const ParallelShape shape{.stages = 4, .pairGroups = pairs};
        const auto report = reportOf(shape, {.what = ParallelFault::SlowStage, .stage = 2, .factor = 2});
        ASSERT_FALSE(report.findings.empty());
        EXPECT_EQ(report.findings.front().rule, "pipeline_stage_imbalance") << textOf(report);
        EXPECT_EQ(report.findings.front().ranks, std::vector<std::int64_t>{2}) << textOf(report);
        EXPECT_NE(report.findings.front().title.find("Stage 3 of 4"), std::string::npos) << textOf(report);
        EXPECT_FALSE(isNamed(report, "late_rank")) << textOf(report);
    }
}

/// A job with one fault, or none, and what a report has to name first.
struct DrawnJob {
    ParallelShape shape;
    PlantedFault fault;
    std::string_view rule;           ///< empty: nothing of these
    std::vector<std::int64_t> ranks; ///< that it names
};

std::vector<std::int64_t> ranksOfStage(const ParallelShape& shape, int stage)
{
    std::vector<std::int64_t> ranks;
    for (int rank = 0; rank < shape.ranks(); ++rank) {
        if (shape.stageOf(rank) == stage) {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

class JobDrawer final {
public:
    explicit JobDrawer(std::uint64_t seed) : m_random(seed), m_seed(seed) {}

    DrawnJob draw()
    {
        DrawnJob job;
        job.shape = shape();
        switch (m_seed % 7) {
        case 0:
            return job;
        case 1:
            job.shape.replicas = pick({2, 4});
            job.shape.experts = false;
            job.fault = {ParallelFault::SlowWorker, between(0, job.shape.ranks() - 1), 0, factor()};
            job.rule = "late_rank";
            job.ranks = {job.fault.rank};
            return job;
        case 2:
            job.shape.stages = pick({2, 3, 4, 6, 8});
            job.fault = {ParallelFault::SlowStage, 0, between(0, job.shape.stages - 1), factor()};
            job.rule = "pipeline_stage_imbalance";
            job.ranks = ranksOfStage(job.shape, job.fault.stage);
            return job;
        case 3:
            job.shape.replicas = pick({2, 4});
            job.fault = {ParallelFault::UnequalSequences, 0, 0, factor()};
            job.rule = "data_skew";
            return job;
        case 4:
            job.shape.replicas = pick({2, 4});
            job.shape.steps = 28;
            job.fault = {ParallelFault::Hiccups, between(0, job.shape.ranks() - 1), 0, 0.8};
            job.rule = "step_time_jitter";
            job.ranks = {job.fault.rank};
            return job;
        case 5:
            job.shape.stages = pick({3, 4, 6, 8});
            job.fault = {ParallelFault::SlowLink, 0, between(0, job.shape.stages - 2), factor()};
            job.rule = "slow_link";
            job.ranks = {job.shape.rankAt(job.fault.stage, 0, 0),
                         job.shape.rankAt(job.fault.stage + 1, 0, 0)};
            return job;
        default:
            job.shape.replicas = 4;
            job.shape.experts = true;
            job.fault = {ParallelFault::FullExpert, between(0, job.shape.ranks() - 1), 0, 1 + factor() / 2};
            job.rule = "expert_imbalance";
            job.ranks = {job.fault.rank};
            return job;
        }
    }

private:
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(m_random); }
    int pick(std::initializer_list<int> values)
    {
        return values.begin()[between(0, static_cast<int>(values.size()) - 1)];
    }
    double factor() { return std::uniform_real_distribution<double>(1.4, 2.2)(m_random); }

    ParallelShape shape()
    {
        ParallelShape drawn;
        drawn.stages = pick({2, 3, 4, 8});
        drawn.replicas = pick({1, 2, 4});
        drawn.tensor = pick({1, 1, 2});
        drawn.microBatches = pick({8, 10, 12});
        drawn.pairGroups = between(0, 2) == 0;
        drawn.hostPerStage = between(0, 2) == 0;
        drawn.steps = 16;
        drawn.noise = 0.03;
        drawn.seed = m_seed;
        return drawn;
    }

    std::mt19937_64 m_random;
    std::uint64_t m_seed;
};

std::string wordsOf(const ParallelShape& shape)
{
    return "stages " + std::to_string(shape.stages) + " replicas " + std::to_string(shape.replicas) +
           " tensor " + std::to_string(shape.tensor) + " batches " + std::to_string(shape.microBatches) +
           (shape.pairGroups ? " pairs" : "") + (shape.hostPerStage ? " hosts" : "") +
           (shape.experts ? " experts" : "");
}

/// The first finding of these kinds, which are told apart.
const rules::Finding* firstOrigin(const report::Report& report)
{
    constexpr std::string_view kOrigins[] = {"late_rank", "pipeline_stage_imbalance",
                                             "data_skew", "step_time_jitter",
                                             "slow_link", "expert_imbalance"};
    const auto found = std::ranges::find_if(report.findings, [&](const rules::Finding& finding) {
        return finding.severity != rules::Severity::Info && finding.cause &&
               std::ranges::find(kOrigins, finding.rule) != std::end(kOrigins);
    });
    return found == report.findings.end() ? nullptr : &*found;
}

/// A rank that stops now and then is late_rank's as well as step_time_jitter's.
std::string_view ruleOf(const rules::Finding& finding)
{
    const bool nowAndThen = finding.title.find("holds the others up now and then") != std::string::npos;
    return nowAndThen ? std::string_view("step_time_jitter") : std::string_view(finding.rule);
}

TEST(ParallelJob, TellsWorkersStagesDataLinksAndExpertsApart)
{
    constexpr std::uint64_t kDrawn = 98;
    std::size_t right = 0;
    for (std::uint64_t seed = 0; seed < kDrawn; ++seed) {
        const DrawnJob job = JobDrawer(seed).draw();
        const auto report = reportOf(job.shape, job.fault);
        const rules::Finding* const first = firstOrigin(report);
        const bool named =
            first == nullptr ? job.rule.empty()
                             : ruleOf(*first) == job.rule && (job.ranks.empty() || first->ranks == job.ranks);
        right += named ? 1 : 0;
        if (!named) {
            std::cout << seed << ": " << wordsOf(job.shape) << "; wanted " << job.rule << " of "
                      << ::testing::PrintToString(job.ranks) << "\n"
                      << textOf(report) << "\n\n";
        }
    }
    EXPECT_GE(right, kDrawn);
}

} // namespace
