// SPDX-License-Identifier: Apache-2.0
// From the shapes that PyTorch's profiler recorded to MFU in a report.
#include "import/open_run.h"
#include "report/flops.h"
#include "report/report.h"
#include "support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ringside::importers {
namespace {

constexpr int kSteps = 6;
constexpr int kStepUs = 1000;

/// A job of one rank that multiplies two matrices in each step, for 400 us of 1000.
struct ProfiledJob {
    std::string gpu = "NVIDIA A100-SXM4-80GB";
    std::string shapes = "[[4096, 2048], [2048, 4096]]"; ///< 68.7 GFLOP: 171.8 TFLOP/s
    std::string around = {};                             ///< a range around the product
    std::string name = "aten::mm";
};

std::string rangeText(const std::string& category, const std::string& name, int ts, int us,
                      const std::string& arguments = "")
{
    return fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": 7, "ts": {}, "dur": {}, "args": {{{}}}}},)",
        category, name, ts, us, arguments);
}

std::string traceText(const ProfiledJob& job)
{
    std::string events;
    for (int step = 0; step < kSteps; ++step) {
        const int at = 1000 + step * kStepUs;
        events += rangeText("user_annotation", fmt::format("ProfilerStep#{}", step), at, kStepUs);
        if (!job.around.empty()) {
            events += rangeText("cpu_op", "autograd::engine::evaluate_function: MulBackward0", at + 1, 60);
            events += rangeText("cpu_op", job.around, at + 2, 50);
        }
        events += rangeText(
            "cpu_op", job.name, at + 5, 20,
            fmt::format(
                R"("External id": {}, "Input Dims": {}, "Input type": ["c10::BFloat16", "c10::BFloat16"])",
                step, job.shapes));
        events += rangeText("cuda_runtime", "cudaLaunchKernel", at + 10, 5,
                            fmt::format(R"("correlation": {})", step + 1));
        events += fmt::format(
            R"({{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": {}, "dur": 400, "args": {{"device": 0, "stream": 7, "correlation": {}}}}},)",
            at + 100, step + 1);
        events += rangeText("cuda_runtime", "cudaLaunchKernel", at + 70, 5,
                            fmt::format(R"("correlation": {})", 100 + step));
        events += fmt::format(
            R"({{"ph": "X", "cat": "kernel", "name": "elementwise", "pid": 0, "tid": 7, "ts": {}, "dur": 600, "args": {{"device": 0, "stream": 7, "correlation": {}}}}},)",
            at + 500, 100 + step);
    }
    events.pop_back();
    return fmt::format(R"({{"deviceProperties": [{{"id": 0, "name": "{}"}}], "traceEvents": [{}]}})", job.gpu,
                       events);
}

report::Report reportOf(const ProfiledJob& job)
{
    const test::TemporaryDirectory folder;
    std::ofstream(folder / "rank0.pt.trace.json") << traceText(job);
    Progress progress;
    return report::buildReport(openRun({folder / "rank0.pt.trace.json"}, progress), {});
}

TEST(KinetoFlops, GiveMfuOfTheStep)
{
    const report::Report report = reportOf({.shapes = "[[4096, 2048], [2048, 4096]]"});
    ASSERT_TRUE(report.flops);
    ASSERT_EQ(report.flops->families.size(), 1U);
    const metrics::FamilyFlops& products = report.flops->families.front();
    const double flops = 2.0 * 4096 * 2048 * 4096;
    EXPECT_EQ(products.precision, flops::Precision::Bf16);
    EXPECT_DOUBLE_EQ(products.flopsPerSecond(), flops / 400e-6);
    ASSERT_TRUE(report.flops->mfu());
    EXPECT_DOUBLE_EQ(*report.flops->mfu(), flops / 312e12 / 1000e-6);
    EXPECT_EQ(report.flops->mfu(), report.flops->hfu());
    EXPECT_DOUBLE_EQ(
        static_cast<double>(report.flops->knownNs) / static_cast<double>(report.flops->computeNs), 0.4);
    EXPECT_EQ(report::flopsLine(report),
              "FLOPs: MFU 22 %, HFU 22 % of what NVIDIA A100-SXM4-80GB can compute (dense); "
              "operators with known FLOPs take 40.0 % of compute.");
    const nlohmann::json json = report::flopsJson(report);
    EXPECT_DOUBLE_EQ(json["mfu"], *report.flops->mfu());
    EXPECT_DOUBLE_EQ(json["flops_per_step"], flops);
    // 16 MiB for each operand and 32 MiB for the result: the memory feeds more than the units can compute.
    EXPECT_EQ(json["families"][0]["bytes_per_step"], (2.0 * 4096 * 2048 + 4096.0 * 4096) * 2);
    EXPECT_EQ(json["families"][0]["roof_flops_per_s"], 312e12);
}

TEST(KinetoFlops, OfAThinProductAreBoundByMemory)
{
    const report::Report report = reportOf({.shapes = "[[1, 4096], [4096, 4096]]"});
    ASSERT_TRUE(report.flops);
    const metrics::FamilyFlops& products = report.flops->families.front();
    EXPECT_DOUBLE_EQ(*report.flops->roofOf(products), products.flopsPerByte() * 2039e9);
    EXPECT_LT(products.flopsPerByte(), 1.01);
}

TEST(KinetoFlops, AboveThePeakAreSaidToBeWrong)
{
    EXPECT_FALSE(reportOf({.shapes = "[[4096, 4000], [4000, 4096]]"}).flops->families.front().isImpossible())
        << "335.5 of 312 TFLOP/s: a clock above the stated one";
    const report::Report wrong = reportOf({.shapes = "[[4096, 8192], [8192, 4096]]"});
    ASSERT_TRUE(wrong.flops);
    EXPECT_FALSE(wrong.flops->mfu());
    EXPECT_EQ(report::flopsLine(wrong), "FLOPs: 0.2749 TFLOP a step and rank; MFU is not known, because the "
                                        "recorded shapes are wrong: matrix products "
                                        "would have run at 687.2 TFLOP/s, above the 312.0 of a NVIDIA "
                                        "A100-SXM4-80GB; operators with known FLOPs take "
                                        "40.0 % of compute.");
    EXPECT_TRUE(report::flopsJson(wrong)["mfu"].is_null());
    EXPECT_TRUE(report::flopsTable(wrong).rows.front()[6].isAbsent());
}

TEST(KinetoFlops, OfActivationsComputedAgainAreNoModelFlops)
{
    const report::Report again =
        reportOf({.shapes = "[[4096, 2048], [2048, 4096]]", .around = "aten::linear"});
    ASSERT_TRUE(again.flops);
    EXPECT_EQ(again.flops->recomputedFlops, again.flops->flops);
    EXPECT_EQ(*again.flops->mfu(), 0);
    EXPECT_GT(*again.flops->hfu(), 0.2);
    const report::Report gradient =
        reportOf({.shapes = "[[4096, 2048], [2048, 4096]]", .around = "MulBackward0"});
    EXPECT_EQ(gradient.flops->recomputedFlops, 0) << "a gradient is computed once";
}

TEST(KinetoFlops, WithoutAPeakAreGivenAsTheyAre)
{
    const report::Report unknown = reportOf({.gpu = "Other 9000", .shapes = "[[4096, 2048], [2048, 4096]]"});
    ASSERT_TRUE(unknown.flops);
    EXPECT_FALSE(unknown.flops->hfu());
    EXPECT_EQ(report::flopsJson(unknown)["not_known"], "the peak of Other 9000 is not known");
    const report::Report volta =
        reportOf({.gpu = "Tesla V100-SXM2-32GB", .shapes = "[[4096, 2048], [2048, 4096]]"});
    EXPECT_EQ(report::flopsJson(volta)["not_known"],
              "Tesla V100-SXM2-32GB has no units for a type that was computed");
}

TEST(KinetoFlops, AreNullWithoutShapes)
{
    const report::Report none = reportOf({.name = "aten::add"});
    EXPECT_FALSE(none.flops);
    EXPECT_FALSE(report::flopsLine(none));
    EXPECT_TRUE(report::flopsJson(none).is_null());
    EXPECT_TRUE(report::flopsTable(none).rows.empty());
}

} // namespace
} // namespace ringside::importers
