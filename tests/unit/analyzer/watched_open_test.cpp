// SPDX-License-Identifier: Apache-2.0
// Opening a run reports its progress and can be cancelled.
#include "import/open_run.h"
#include "report/watched_report.h"
#include "support/trace_builder.h"
#include "trace/read/watched_run.h"

#include <ringside/error.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

namespace ringside {
namespace {

using namespace std::chrono_literals;
using test::StepBuilder;
using test::TraceBuilder;

struct HadEnough {}; ///< no std::exception: nothing on the way may take it for an error

TraceBuilder builder()
{
    TraceBuilder trace(3);
    trace.steps(20, [](StepBuilder& step) { step.everyRank().compute(1ms, {.launches = 8}); });
    return trace;
}

class WatchedOpen : public testing::Test {
protected:
    void SetUp() override { builder().write(m_run); }
    void TearDown() override { std::filesystem::remove_all(m_run); }
    std::filesystem::path m_run =
        std::filesystem::temp_directory_path() / ("watched-" + std::to_string(getpid()) + ".ringside");
};

TEST_F(WatchedOpen, reportsTheBytesOfItsChunks)
{
    std::atomic<std::uint64_t> bytes{0};
    const trace::RunTrace run = trace::openRun(m_run, [&](std::uint64_t more) { bytes += more; });
    EXPECT_EQ(run.processes.size(), 3U);
    EXPECT_GT(bytes, 100U);
}

TEST_F(WatchedOpen, stopsWithinReading)
{
    std::atomic<int> calls{0};
    const auto third = [&](std::uint64_t) {
        if (++calls == 3) {
            throw HadEnough();
        }
    };
    EXPECT_THROW((void)trace::openRun(m_run, third), HadEnough);
    EXPECT_GE(calls, 3);
}

TEST_F(WatchedOpen, stopsWithinTheReport)
{
    int calls = 0;
    (void)report::buildReport(builder().run(), {}, {}, [&] { ++calls; });
    EXPECT_GT(calls, 10);
    for (int last = 1; last <= calls; last += 7) {
        int count = 0;
        const auto stop = [&] {
            if (++count == last) {
                throw HadEnough();
            }
        };
        EXPECT_THROW((void)report::buildReport(builder().run(), {}, {}, stop), HadEnough);
        EXPECT_EQ(count, last);
    }
}

} // namespace
} // namespace ringside
