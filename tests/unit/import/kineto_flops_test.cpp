// SPDX-License-Identifier: Apache-2.0
// From the shapes that PyTorch's profiler recorded to MFU in a report.
#include "import/open_run.h"
#include "report/flops.h"
#include "report/report.h"
#include "support/profiled_job.h"
#include "support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace ringside::importers {
namespace {

using test::Product;
using test::ProfiledJob;

report::Report reportOf(const ProfiledJob& job)
{
    const test::TemporaryDirectory folder;
    std::ofstream(folder / "rank0.pt.trace.json") << test::profiledText(job);
    Progress progress;
    return report::buildReport(openRun({folder / "rank0.pt.trace.json"}, progress), {});
}

report::Report reportOf(const Product& product)
{
    return reportOf(ProfiledJob{{product}, "NVIDIA A100-SXM4-80GB", 600});
}

constexpr double kFlops = 2.0 * 4096 * 2048 * 4096;
constexpr double kStepS = 1000e-6;

TEST(KinetoFlops, GiveMfuOfTheStep)
{
    const report::Report report = reportOf(Product{});
    ASSERT_TRUE(report.flops);
    ASSERT_EQ(report.flops->families.size(), 1U);
    const metrics::FamilyFlops& products = report.flops->families.front();
    EXPECT_EQ(products.precision, flops::Precision::Bf16);
    EXPECT_DOUBLE_EQ(products.flopsPerSecond(), kFlops / 400e-6);
    ASSERT_TRUE(report.flops->mfu());
    EXPECT_DOUBLE_EQ(*report.flops->mfu(), kFlops / 312e12 / kStepS);
    EXPECT_EQ(report.flops->mfu(), report.flops->hfu());
    EXPECT_EQ(
        report::flopsLine(report),
        "FLOPs: MFU at least 22 %, HFU at least 22 % of what NVIDIA A100-SXM4-80GB can compute (dense); "
        "operators with known FLOPs take 40.0 % of compute, others count nothing.");
    const nlohmann::json json = report::flopsJson(report);
    EXPECT_DOUBLE_EQ(json["mfu"], *report.flops->mfu());
    EXPECT_DOUBLE_EQ(json["flops_per_step"], kFlops);
    EXPECT_EQ(json["ranks"], 1);
    // 16 MiB for each operand and 32 MiB for the result: the memory feeds more than the units can compute.
    EXPECT_EQ(json["families"][0]["bytes_per_step"], (2.0 * 4096 * 2048 + 4096.0 * 4096) * 2);
    EXPECT_EQ(json["families"][0]["roof_flops_per_s"], 312e12);
}

TEST(KinetoFlops, OfAThinProductAreBoundByMemory)
{
    const report::Report report = reportOf(Product{.shapes = "[[1, 4096], [4096, 4096]]"});
    ASSERT_TRUE(report.flops);
    const metrics::FamilyFlops& products = report.flops->families.front();
    EXPECT_DOUBLE_EQ(*report.flops->roofOf(products), products.flopsPerByte() * 2039e9);
    EXPECT_LT(products.flopsPerByte(), 1.01);
}

TEST(KinetoFlops, OfKernelsThatRunAtOnceCountTheTimeOnce)
{
    const report::Report report =
        reportOf(ProfiledJob{{{}, {.atUs = 300, .us = 200, .stream = 8}}, "NVIDIA A100-SXM4-80GB", 600});
    ASSERT_TRUE(report.flops);
    const metrics::FamilyFlops& products = report.flops->families.front();
    EXPECT_DOUBLE_EQ(products.flopsPerSecond(), 2 * kFlops / 400e-6);
    EXPECT_DOUBLE_EQ(
        static_cast<double>(report.flops->knownNs) / static_cast<double>(report.flops->computeNs), 0.4);
}

TEST(KinetoFlops, AboveThePeakContradictTheKernels)
{
    EXPECT_FALSE(
        reportOf(Product{.shapes = "[[4096, 4000], [4000, 4096]]"}).flops->families.front().isImpossible())
        << "335.5 of 312 TFLOP/s: a clock above the stated one";
    const report::Report wrong = reportOf(Product{.shapes = "[[4096, 8192], [8192, 4096]]"});
    ASSERT_TRUE(wrong.flops);
    EXPECT_FALSE(wrong.flops->mfu());
    EXPECT_EQ(report::flopsLine(wrong),
              "FLOPs: at least 0.2749 TFLOP a step and rank; MFU is not known, because the shapes or types "
              "contradict "
              "the times of the kernels: matrix products in bf16 would have run at 687.2 TFLOP/s, and NVIDIA "
              "A100-SXM4-80GB reaches 312.0; operators with known FLOPs take 40.0 % of compute, others count "
              "nothing.");
    EXPECT_TRUE(report::flopsJson(wrong)["mfu"].is_null());
    EXPECT_TRUE(report::flopsTable(wrong).rows.front()[6].isAbsent());
}

const std::string kBackward = "autograd::engine::evaluate_function: ";

TEST(KinetoFlops, OfActivationsComputedAgainAreNoModelFlops)
{
    const auto recomputed = [](std::vector<std::string> around) {
        const report::Report report = reportOf(Product{.around = std::move(around)});
        return report.flops->total(&metrics::FamilyFlops::recomputedFlops) /
               report.flops->total(&metrics::FamilyFlops::flops);
    };
    EXPECT_EQ(recomputed({kBackward + "MulBackward0", "aten::linear"}), 1) << "by hooks of saved tensors";
    EXPECT_EQ(
        recomputed({kBackward + "CheckpointFunctionBackward", "CheckpointFunctionBackward", "aten::matmul"}),
        1);
    EXPECT_EQ(recomputed({kBackward + "CheckpointFunctionBackward", "CheckpointFunctionBackward",
                          kBackward + "MmBackward0", "MmBackward0"}),
              0)
        << "the gradients that follow in the checkpoint";
    EXPECT_EQ(recomputed({kBackward + "MmBackward0", "MmBackward0"}), 0) << "a gradient is computed once";
    EXPECT_EQ(recomputed({kBackward + "LinearWithGradAccumulationBackward", "aten::matmul"}), 0)
        << "a function with a backward pass of its own";
    EXPECT_EQ(recomputed({"aten::linear"}), 0) << "the forward pass";
}

TEST(KinetoFlops, OfEachPrecisionCountAgainstItsOwnPeak)
{
    const Product again{.around = {kBackward + "MulBackward0", "aten::linear"}, .us = 250};
    const Product once{.shapes = "[[4096, 64], [64, 4096]]", .type = "float", .atUs = 350, .us = 150};
    const report::Report report = reportOf(ProfiledJob{{again, once}, "NVIDIA A100-SXM4-80GB", 600});
    ASSERT_TRUE(report.flops && report.flops->mfu());
    const double single = 2.0 * 4096 * 64 * 4096 / 19.5e12 / kStepS;
    EXPECT_DOUBLE_EQ(*report.flops->mfu(), single);
    EXPECT_DOUBLE_EQ(*report.flops->hfu(), single + kFlops / 312e12 / kStepS);
}

TEST(KinetoFlops, WithoutAPeakAreGivenAsTheyAre)
{
    const report::Report unknown = reportOf(ProfiledJob{{{}}, "Other 9000", 600});
    ASSERT_TRUE(unknown.flops);
    EXPECT_FALSE(unknown.flops->hfu());
    EXPECT_EQ(report::flopsJson(unknown)["not_known"], "the peak of Other 9000 is not known");
    const report::Report volta = reportOf(ProfiledJob{{{}}, "Tesla V100-SXM2-32GB", 600});
    EXPECT_EQ(report::flopsJson(volta)["not_known"],
              "Tesla V100-SXM2-32GB has no units for a type that was computed");
}

TEST(KinetoFlops, AreNullWithoutShapes)
{
    for (const std::string name : {"aten::add", "record_param_comms"}) {
        const report::Report none = reportOf(Product{.name = name});
        EXPECT_EQ(none.model.trace.processes.front().operators.size(), 0U) << name;
        EXPECT_FALSE(none.flops);
        EXPECT_FALSE(report::flopsLine(none));
        EXPECT_TRUE(report::flopsJson(none).is_null());
        EXPECT_TRUE(report::flopsTable(none).rows.empty());
    }
}

TEST(KinetoFlops, SayOnWhichRanksShapesWereRecorded)
{
    const test::TemporaryDirectory folder;
    for (const int rank : {0, 1}) {
        const std::string text = test::profiledText(
            ProfiledJob{{{.name = rank == 0 ? "aten::mm" : "aten::add"}}, "NVIDIA A100-SXM4-80GB", 600});
        std::ofstream(folder / fmt::format("rank{}.pt.trace.json", rank))
            << fmt::format(R"({{"distributedInfo": {{"rank": {}, "world_size": 2}}, )", rank)
            << text.substr(1);
    }
    Progress progress;
    const report::Report report = report::buildReport(openRun({folder.path()}, progress), {});
    ASSERT_TRUE(report.flops && report.flops->mfu());
    EXPECT_EQ(report.flops->ranks, 1U);
    EXPECT_DOUBLE_EQ(*report.flops->mfu(), kFlops / 312e12 / kStepS);
    EXPECT_NE(report::flopsLine(report)->find("shapes were recorded on 1 of 2 ranks"), std::string::npos);
}

TEST(KinetoFlops, OfTheForwardPassAreModelFlopsOnARankThatWasRecordedEarlier)
{
    const test::TemporaryDirectory folder;
    for (const int rank :
         {0, 1}) { // the times of rank 1 are before those of rank 0, which are counted from 0
        const std::string text =
            test::profiledText(ProfiledJob{{{.around = {"aten::linear"}}}, "NVIDIA A100-SXM4-80GB", 600},
                               rank == 0 ? 2'000'000 : 1'000'000);
        std::ofstream(folder / fmt::format("rank{}.pt.trace.json", rank))
            << fmt::format(R"({{"distributedInfo": {{"rank": {}, "world_size": 2}}, )", rank)
            << R"("baseTimeNanoseconds": 1700000000000000000, )" << text.substr(1);
    }
    Progress progress;
    const report::Report report = report::buildReport(openRun({folder.path()}, progress), {});
    ASSERT_TRUE(report.flops && report.flops->ranks == 2);
    EXPECT_EQ(report.flops->total(&metrics::FamilyFlops::recomputedFlops), 0);
}

} // namespace
} // namespace ringside::importers
