// SPDX-License-Identifier: Apache-2.0
// What trace events say of how a kernel was launched.
#include "export/launch_arguments.h"
#include "support/trace_builder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ringside::exporting {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

trace::ProcessTrace processWith(const trace::LaunchConfigurationRow& row)
{
    test::TraceBuilder builder(1);
    builder.steps(1, [](test::StepBuilder& step) { step.everyRank().compute(1ms); });
    trace::ProcessTrace process = builder.process(0);
    process.launchConfigurations = {row};
    process.kernels.configuration.transform([&](std::uint32_t) { return 1U; });
    return process;
}

TEST(LaunchArguments, HaveTheKeysOfThePyTorchProfiler)
{
    const trace::ProcessTrace process = processWith({1, 1, 66, 2, 1, 256, 1, 1, 64, 0, 1024, 1024, 50});
    EXPECT_EQ(Json::parse(LaunchArguments(process).of(0)), Json::parse(R"({
        "grid": [66, 2, 1], "block": [256, 1, 1], "registers per thread": 64, "shared memory": 1024,
        "static shared memory": 0, "dynamic shared memory": 1024, "blocks per SM": 1,
        "theoretical occupancy %": 50.0, "est. achieved occupancy %": 50})"));
}

TEST(LaunchArguments, LeaveOutWhatIsNotKnownOrCannotBe)
{
    constexpr std::nullopt_t kNone = std::nullopt;
    trace::ProcessTrace process = processWith({1, 1, 66, -2, 1, 256, 1, 1, kNone, kNone, kNone, kNone, 4711});
    EXPECT_EQ(Json::parse(LaunchArguments(process).of(0)), Json::parse(R"({"block": [256, 1, 1]})"));
    process =
        processWith({1, 1, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone});
    EXPECT_EQ(LaunchArguments(process).of(0), "");
    process.launchConfigurations.clear(); // of a damaged file
    EXPECT_EQ(LaunchArguments(process).of(0), "");
}

} // namespace
} // namespace ringside::exporting
