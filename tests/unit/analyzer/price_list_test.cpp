// SPDX-License-Identifier: Apache-2.0
// What losses cost in GPU-hours and money, and MFU by the user's description of the model.
#include "report/flops.h"
#include "report/format.h"
#include "report/price_list.h"
#include "report/replayed_costs.h"
#include "rules/shared/support.h"
#include "support/trace_builder.h"
#include "unit/analyzer/json_schema.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

namespace ringside::report {
namespace {

using namespace std::chrono_literals;
using namespace test;

/// Four ranks; rank 1 computes 6 ms longer than the 10 ms of the others.
Report lateReport(const std::string& gpu = "NVIDIA H100 80GB HBM3")
{
    TraceBuilder trace(4);
    trace.steps(24, [](StepBuilder& step) {
        step.everyRank().compute(10ms);
        step.rank(1).compute(6ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        trace.process(rank).devices.front().name = gpu;
    }
    return buildReport(trace.run(), {});
}

const PricedLoss* lossOfRule(const std::vector<PricedLoss>& losses, std::string_view rule)
{
    const auto found =
        std::ranges::find_if(losses, [&](const PricedLoss& each) { return each.finding->rule == rule; });
    return found == losses.end() ? nullptr : &*found;
}

TEST(PriceList, GivesGpuHoursOfADayAndMoneyOnlyForAPrice)
{
    Report report = lateReport();
    const auto losses = priceListOf(report);
    const PricedLoss* const late = lossOfRule(losses, "late_rank");
    ASSERT_NE(late, nullptr);
    const double share =
        static_cast<double>(*late->finding->costNsPerStep) / static_cast<double>(report.metrics.stepNs());
    EXPECT_NEAR(share, 6.0 / 17, 0.02);
    EXPECT_DOUBLE_EQ(late->share, share);
    EXPECT_DOUBLE_EQ(late->gpuHoursADay, share * 24 * 4);
    EXPECT_FALSE(late->moneyADay);
    EXPECT_TRUE(priceJson(report)["money_per_gpu_hour"].is_null());

    report.pricePerGpuHour = 2.5;
    const auto priced = priceListOf(report);
    EXPECT_DOUBLE_EQ(lossOfRule(priced, "late_rank")->moneyADay.value_or(0), share * 24 * 4 * 2.5);
    EXPECT_EQ(priceTable(report).rows.front().size(), priceTable(report).header.size());
    EXPECT_EQ(priceTable(report).header.size(), priceTable(lateReport()).header.size() + 1);
}

TEST(PriceList, HasTheErrorOfTheReplayThatSaysTheCost)
{
    const Report report = lateReport();
    for (const PricedLoss& loss : priceListOf(report)) {
        EXPECT_EQ(loss.errorNs.has_value(), rules::hasFigure(*loss.finding, "replayed_saving_ns"))
            << loss.finding->rule;
    }
    const auto losses = priceListOf(report);
    const PricedLoss* const late = lossOfRule(losses, "late_rank");
    ASSERT_NE(late, nullptr);
    ASSERT_TRUE(late->errorNs);
    EXPECT_LT(*late->errorNs, 0.05 * 17e6) << "of a step of 17 ms that does not vary";
}

TEST(PriceList, CountsALossOnce)
{
    const Report report = lateReport();
    const auto losses = priceListOf(report);
    for (const PricedLoss& loss : losses) {
        EXPECT_TRUE(loss.finding->restates.empty()) << loss.finding->rule;
        EXPECT_GT(loss.share, 0) << loss.finding->rule;
    }
    EXPECT_TRUE(std::ranges::is_sorted(losses, std::ranges::greater(), &PricedLoss::share));
}

TEST(PriceList, StandsInAShortReportOnlyIfAPriceWasAsked)
{
    Report report = lateReport();
    const auto text = [&] { return formatNamed("text").render(report, {}); };
    EXPECT_EQ(text().find("What the losses cost"), std::string::npos);
    report.pricePerGpuHour = 2.5;
    EXPECT_NE(text().find("What the losses cost on 4 GPUs"), std::string::npos) << text();
}

TEST(ModelDescription, CountsSixAParameterAndAttention)
{
    const ModelDescription plain = parseModelDescription("parameters=7B,tokens=4M");
    EXPECT_DOUBLE_EQ(plain.flopsOfAStep(), 6 * 7e9 * 4e6);
    const ModelDescription all =
        parseModelDescription("parameters=6.74e9,tokens=4194304,layers=32,hidden=4096,sequence=4K,type=fp16");
    EXPECT_DOUBLE_EQ(all.flopsOfAStep(), (6 * 6.74e9 + 12 * 32.0 * 4096 * 4000) * 4194304);
    EXPECT_EQ(all.precision, flops::Precision::Fp16);
}

TEST(ModelDescription, RefusesWhatIsNoDescription)
{
    for (const char* const text :
         {"", "parameters=7B", "tokens=4M", "parameters=7B,tokens=0", "parameters=-7,tokens=4",
          "parameters=7B,tokens=4M,layers=32", "parameters=7B,tokens=4M,type=fp12", "parameters=7B;tokens=4M",
          "parameters=nan,tokens=4M", "parameters=7B,tokens=4M,", "parameters=B,tokens=4M", "width=3"}) {
        EXPECT_THROW(static_cast<void>(parseModelDescription(text)), Error) << text;
    }
}

/// MFU of a step of `share` of what 4 GPUs can compute in 17 ms.
Report described(double share, const std::string& gpu = "NVIDIA H100 80GB HBM3")
{
    Report report = lateReport(gpu);
    const double seconds = static_cast<double>(report.metrics.stepNs()) / 1e9;
    report.description = ModelDescription{1e6, share * 989e12 * 4 * seconds / 6e6};
    return report;
}

TEST(ModelDescription, GivesMfuOfTheMeasuredStep)
{
    const Report report = described(0.4);
    const Json json = describedJson(report);
    EXPECT_NEAR(json["mfu"].get<double>(), 0.4, 1e-9);
    EXPECT_TRUE(json["not_known"].is_null());
    EXPECT_NE(describedLine(report)->find("MFU 40 % of what NVIDIA H100 80GB HBM3 can compute in bf16"),
              std::string::npos)
        << *describedLine(report);
    EXPECT_TRUE(
        keepsSchema(formatNamed("json").render(report, {}), "report/ringside-report-1.schema.json", true));
}

TEST(ModelDescription, IsSaidToBeWrongAboveThePeak)
{
    const Report report = described(1.3);
    EXPECT_TRUE(describedJson(report)["mfu"].is_null());
    EXPECT_EQ(describedLine(report)->find("MFU 1"), std::string::npos) << *describedLine(report);
    EXPECT_NE(describedLine(report)->find("the description is wrong"), std::string::npos)
        << *describedLine(report);
}

TEST(ModelDescription, SaysWhyMfuIsNotKnown)
{
    const auto why = [](const Report& report) {
        return describedJson(report)["not_known"].get<std::string>();
    };
    EXPECT_EQ(why(described(0.4, "Emulated")), "the peak of Emulated is not known");
    EXPECT_EQ(why(described(0.4, "Tesla V100-SXM2-16GB")), "Tesla V100-SXM2-16GB has no units for bf16");
    Report mixed = described(0.4);
    mixed.model.trace.processes[2].devices.front().name = "NVIDIA A100-SXM4-40GB";
    EXPECT_EQ(why(mixed), "the GPUs differ, or their name was not recorded");
}

} // namespace
} // namespace ringside::report
