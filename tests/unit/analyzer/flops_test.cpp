// SPDX-License-Identifier: Apache-2.0
// FLOPs of operators against counts made by hand, and the table of GPUs.
#include "flops/gpu_peaks.h"
#include "flops/operator_work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace ringside::flops {
namespace {

OperatorCall
call(std::string_view name, std::string_view shapes, std::string_view inputs = "",
     std::string_view types = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])")
{
    return {name, shapes, types, inputs};
}

double flopsOf(const OperatorCall& each)
{
    const auto work = workOf(each);
    return work ? work->flops : 0;
}

TEST(OperatorWork, OfMatrixProducts)
{
    EXPECT_EQ(flopsOf(call("aten::mm", "[[16, 3], [3, 5]]")), 2 * 16 * 3 * 5);
    EXPECT_EQ(flopsOf(call("aten::addmm", "[[5], [16, 3], [3, 5], [], []]")), 2 * 16 * 3 * 5);
    EXPECT_EQ(flopsOf(call("aten::bmm", "[[7, 16, 3], [7, 3, 5]]")), 7 * 2 * 16 * 3 * 5);
    EXPECT_EQ(flopsOf(call("aten::baddbmm", "[[7, 16, 5], [7, 16, 3], [7, 3, 5], [], []]")),
              7 * 2 * 16 * 3 * 5);
    const auto work = workOf(call("aten::mm", "[[16, 3], [3, 5]]"));
    ASSERT_TRUE(work);
    EXPECT_EQ(work->family, Family::MatrixProduct);
    EXPECT_EQ(work->type, "c10::BFloat16");
    EXPECT_EQ(work->bytes, 2 * (16 * 3 + 3 * 5 + 16 * 5));
}

TEST(OperatorWork, OfConvolutions)
{
    // ResNet's first one: 224 x 224 with stride 2 and padding 3 gives 112 x 112 places.
    const double forward = 2.0 * 8 * 64 * 112 * 112 * 3 * 7 * 7;
    EXPECT_EQ(
        flopsOf(call("aten::convolution", "[[8, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]",
                     R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"])")),
        forward);
    const char* const gradients =
        "[[8, 64, 112, 112], [8, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], [], []]";
    EXPECT_EQ(
        flopsOf(call("aten::convolution_backward", gradients,
                     R"(["", "", "", "", "[2]", "[3]", "[1]", "False", "[0]", "1", "[True, True, False]"])")),
        2 * forward);
    EXPECT_EQ(
        flopsOf(call("aten::convolution_backward", gradients,
                     R"(["", "", "", "", "[2]", "[3]", "[1]", "False", "[0]", "1", "[False, True, True]"])")),
        forward)
        << "the first layer needs no gradient of its input";
    // A group of 4 channels each: the weight holds 4 input channels. Dilation 2 leaves 28 - 2 * 2 places.
    EXPECT_EQ(flopsOf(call("aten::convolution", "[[2, 16, 28, 28], [32, 4, 3, 3]]",
                           R"(["", "", "", "[1, 1]", "[0, 0]", "[2, 2]", "False", "[0, 0]", "4"])")),
              2.0 * 2 * 32 * 24 * 24 * 4 * 3 * 3);
    // Transposed: each point of the input is laid out over the kernel.
    EXPECT_EQ(flopsOf(call("aten::convolution", "[[2, 16, 14, 14], [16, 8, 4, 4]]",
                           R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "1"])")),
              2.0 * 2 * 16 * 14 * 14 * 8 * 4 * 4);
}

TEST(OperatorWork, OfAttention)
{
    const char* const shapes = "[[2, 12, 512, 64], [2, 12, 512, 64], [2, 12, 512, 64], [], [], []]";
    const double all = 4.0 * 2 * 12 * 512 * 512 * 64;
    EXPECT_EQ(flopsOf(call("aten::_scaled_dot_product_flash_attention", shapes,
                           R"(["", "", "", "0.", "False", "False"])")),
              all);
    EXPECT_EQ(flopsOf(call("aten::_scaled_dot_product_flash_attention", shapes,
                           R"(["", "", "", "0.", "True", "False"])")),
              all * 513 / 1024)
        << "each row sees the columns up to its own";
    EXPECT_EQ(flopsOf(call("aten::_scaled_dot_product_flash_attention_backward",
                           "[[2, 12, 512, 64], [2, 12, 512, 64], [2, 12, 512, 64], [2, 12, 512, 64]]",
                           R"(["", "", "", "", "", "", "", "", "512", "512", "0.", "False", "", "", ""])")),
              all * 2.5)
        << "five products instead of two";
    EXPECT_EQ(flopsOf(call("flash_attn::_flash_attn_forward",
                           "[[2, 512, 12, 64], [2, 512, 3, 64], [2, 512, 3, 64]]",
                           R"(["", "", "", "0.", "0.125", "False"])")),
              all)
        << "grouped queries share keys, and compute the same";
}

/// A layer of a transformer, batch b, sequence s, width h: 24 b s h^2 for its products and 4 b s^2 h for its
/// attention, forward (Korthikanti et al., 2022, without the vocabulary).
TEST(OperatorWork, OfALayerOfATransformerAddsUp)
{
    const double b = 4;
    const double s = 128;
    const double h = 256;
    const double products = flopsOf(call("aten::addmm", "[[768], [512, 256], [256, 768]]")) +
                            flopsOf(call("aten::addmm", "[[256], [512, 256], [256, 256]]")) +
                            flopsOf(call("aten::addmm", "[[1024], [512, 256], [256, 1024]]")) +
                            flopsOf(call("aten::addmm", "[[256], [512, 1024], [1024, 256]]"));
    EXPECT_EQ(products, 24 * b * s * h * h);
    EXPECT_EQ(flopsOf(call("aten::_scaled_dot_product_flash_attention",
                           "[[4, 8, 128, 32], [4, 8, 128, 32], [4, 8, 128, 32]]",
                           R"(["", "", "", "0.", "False"])")),
              4 * b * s * s * h);
}

/// Each product of the forward pass is followed by two of its size, and attention by five products for its
/// two.
TEST(OperatorWork, OfAStepOfATransformerAddsUp)
{
    const double b = 4;
    const double s = 128;
    const double h = 256;
    const double heads = 8;
    const auto product = [](int m, int k, int n) {
        return flopsOf(call("aten::mm", fmt::format("[[{}, {}], [{}, {}]]", m, k, k, n)));
    };
    double step = 0;
    for (const auto& [in, out] : {std::pair(256, 768), {256, 256}, {256, 1024}, {1024, 256}}) {
        step += product(512, in, out) + product(512, out, in) + product(in, 512, out);
    }
    const char* const heads3 = "[4, 8, 128, 32], [4, 8, 128, 32], [4, 8, 128, 32]";
    step += flopsOf(call("aten::_scaled_dot_product_flash_attention", fmt::format("[{}]", heads3),
                         R"(["", "", "", "0.", "True"])"));
    step += flopsOf(call("aten::_scaled_dot_product_flash_attention_backward",
                         fmt::format("[[4, 8, 128, 32], {}, [4, 8, 128, 32]]", heads3),
                         R"(["", "", "", "", "", "", "", "", "128", "128", "0.", "True"])"));
    const double pairs = b * heads * s * (s + 1) / 2;
    EXPECT_EQ(step, 3 * 24 * b * s * h * h + (2 * 2 + 2 * 5) * pairs * h / heads);
}

TEST(OperatorWork, IsNotKnownWhereTheTextsDoNotTell)
{
    for (const char* const shapes :
         {"", "[]", "[[16, 3]]", "[[16, 3], [4, 5]]", "[[16, -3], [-3, 5]]", "[[[16, 3]], [3, 5]]",
          "[[16, 3], [3, 5]", "[[16, 0], [0, 5]]", "[[99999999999999, 3], [3, 5]]", "]][["}) {
        EXPECT_FALSE(workOf(call("aten::mm", shapes))) << shapes;
    }
    EXPECT_FALSE(workOf(call("aten::mm", "[[16, 3], [3, 5]]", "", ""))) << "without types";
    EXPECT_FALSE(workOf(call("aten::add", "[[16, 3], [16, 3]]")));
    EXPECT_FALSE(workOf(call("aten::convolution", "[[8, 3, 224, 224], [64, 3, 7, 7]]")))
        << "stride not recorded";
    const char* const square = "[[2, 12, 512, 64], [2, 12, 512, 64], [2, 12, 512, 64]]";
    EXPECT_FALSE(workOf(call("aten::_scaled_dot_product_flash_attention", square))) << "causal or not";
    EXPECT_FALSE(workOf(call("aten::_scaled_dot_product_flash_attention",
                             "[[2, 12, 1, 64], [2, 12, 512, 64], [2, 12, 512, 64]]",
                             R"(["", "", "", "0.", "True"])")));
}

TEST(PrecisionOf, GoesByTheTypeAndForFloatByTheKernel)
{
    EXPECT_EQ(precisionOf("float", "ampere_sgemm_128x64_tn"), Precision::Fp32);
    EXPECT_EQ(precisionOf("float", "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n"), Precision::Tf32);
    EXPECT_EQ(precisionOf("float", "cutlass_80_tensorop_s1688gemm_128x128_tn"), Precision::Tf32);
    EXPECT_EQ(precisionOf("c10::Half", ""), Precision::Fp16);
    EXPECT_EQ(precisionOf("c10::Float8_e4m3fn", ""), Precision::Fp8);
    EXPECT_FALSE(precisionOf("long int", ""));
}

TEST(GpuPeaks, AreThoseOfTheProductThatTheNameTells)
{
    const auto named = [](std::string_view gpu) {
        const GpuPeaks* const peaks = peaksOf(gpu);
        return peaks == nullptr ? std::string_view() : peaks->name;
    };
    EXPECT_EQ(named("NVIDIA H100 80GB HBM3"), "H100");
    EXPECT_EQ(named("NVIDIA H100 PCIe"), "H100 PCIe");
    EXPECT_EQ(named("NVIDIA H200"), "H200");
    EXPECT_EQ(named("NVIDIA GH200 480GB"), "GH200");
    EXPECT_EQ(named("NVIDIA A100-SXM4-80GB"), "A100-SXM4-80GB");
    EXPECT_EQ(named("NVIDIA A100-PG509-200"), "A100");
    EXPECT_EQ(named("NVIDIA A10"), "A10");
    EXPECT_EQ(named("Tesla V100-SXM2-32GB"), "V100-SXM2");
    EXPECT_EQ(named("NVIDIA A1000"), "") << "another product";
    EXPECT_EQ(named("NVIDIA A100-SXM-80GB"), "A100-SXM-80GB") << "the name in early drivers";
    EXPECT_EQ(named("NVIDIA H100 80GB HBM3 MIG 1g.10gb"), "") << "a part of one";
    EXPECT_EQ(named("GRID T4-8C"), "") << "a virtual one";
    EXPECT_EQ(named("NVIDIA A40-24Q"), "") << "a virtual one";
    EXPECT_EQ(named(""), "");
    EXPECT_EQ(peaksOf("NVIDIA H200")->flopsPerSecond(Precision::Bf16), 989e12);
    EXPECT_FALSE(peaksOf("Tesla V100-SXM2-32GB")->flopsPerSecond(Precision::Bf16))
        << "it has no units for it";
}

TEST(GpuPeaks, HaveEachProductOnceAndInAnOrderInWhichEachIsFound)
{
    for (const GpuPeaks& each : allGpus()) {
        EXPECT_EQ(peaksOf(each.name), &each) << each.name << " is hidden by a row before it";
        EXPECT_GT(each.gigabytesPerSecond, 100) << each.name;
        EXPECT_GE(each.flopsPerSecond(Precision::Fp16).value_or(0),
                  each.flopsPerSecond(Precision::Fp32).value_or(0))
            << each.name;
    }
}

} // namespace
} // namespace ringside::flops
