// SPDX-License-Identifier: Apache-2.0
// The script of the emulated NVML: how long a line is valid, and messages about mistakes.
#include "script.h"

#include <nvml.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace {

using ringside::nvml::Reading;
using ringside::nvml::Script;

TEST(NvmlScript, aValueHoldsUntilTheNextLineOfItsDevice)
{
    const Script script("0 * gpu=10\n2.5 1 gpu=90\n5 * gpu=30\n5 0 gpu=31", "test");
    ASSERT_EQ(script.error(), "");
    const auto gpu = [&](int device, double seconds) {
        return script.value(device, Reading::GpuUtilization, seconds).value_or(-1);
    };
    EXPECT_EQ(gpu(0, 0), 10);
    EXPECT_EQ(gpu(1, 2.4), 10);
    EXPECT_EQ(gpu(1, 2.5), 90);
    EXPECT_EQ(gpu(0, 4), 10);
    EXPECT_EQ(gpu(1, 5), 30);
    EXPECT_EQ(gpu(0, 6), 31);
    EXPECT_FALSE(Script("1 0 gpu=10", "test").value(0, Reading::GpuUtilization, 0.9).has_value());
}

TEST(NvmlScript, aMistakeIsAnErrorWithItsPlace)
{
    const std::pair<const char*, const char*> cases[] = {
        {"0 0 gpu=1\n0 0 gpv=1", "test:2: unknown key 'gpv'"},
        {"0 0 gpu=much", "test:1: gpu cannot be 'much'"},
        {"0 0 gpu", "test:1: gpu cannot be ''"},
        {"0 9 gpu=1", "test:1: '9' is no device"},
        {"0", "test:1: '' is no device"},
        {"soon 0 gpu=1", "test:1: begins with 'soon'"},
        {"2 0 gpu=1\n1 0 gpu=1", "test:2: begins with '1'"},
        {"0 0 reasons=hot", "test:1: reasons cannot be 'hot'"},
        {"0 0 gpu.1=5", "test:1: unknown key 'gpu.1'"},
        {"0 0 process=7", "test:1: process needs"},
        {"0 0 xid=1.5", "test:1: xid needs"}};
    for (const auto& [text, expected] : cases)
        EXPECT_EQ(Script(text, "test").error().find(expected), 0U) << Script(text, "test").error();
}

TEST(NvmlScript, aBadScriptFailsTheInitialisation)
{
    const pid_t child = fork();
    if (child == 0) {
        setenv("RINGSIDE_NVML_SCRIPT", "/no/such/script", 1);
        testing::internal::CaptureStderr();
        const bool failed = nvmlInit() == NVML_ERROR_UNKNOWN && nvmlInit() == NVML_ERROR_UNKNOWN;
        const std::string said = testing::internal::GetCapturedStderr();
        _exit(failed && said.find("/no/such/script") == said.rfind("/no/such/script") ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

} // namespace
