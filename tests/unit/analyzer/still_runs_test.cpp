// SPDX-License-Identifier: Apache-2.0
// A job runs while its hosts say so; what a killed `record` left behind is no job.
#include "live/snapshot.h"
#include "live/still_runs.h"
#include "support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ringside::live {
namespace {

class StillRuns : public testing::Test {
protected:
    void say(std::int64_t atMs)
    {
        std::ofstream(m_run / "node1.live.json")
            << fmt::format(R"({{"schema": "ringside-live/1", "host": "node1", "written_ms": {}}})", atMs);
    }
    ringside::test::TemporaryDirectory m_folder;
    std::filesystem::path m_run{m_folder.path()};
};

TEST_F(StillRuns, WhileAHostHasSpokenLately)
{
    say(nowMs());
    EXPECT_TRUE(stillRuns(m_run));
}

TEST_F(StillRuns, NotBecauseOfWhatAKilledRecordLeft)
{
    say(nowMs() - kSilentMs);
    EXPECT_FALSE(stillRuns(m_run));
    say(nowMs() + 2 * kSilentMs); // of a clock that is wrong, or of somebody who wants it to be read for ever
    EXPECT_FALSE(stillRuns(m_run));
    say(0);
    EXPECT_FALSE(stillRuns(m_run));
}

TEST_F(StillRuns, NotWhatIsNoRunDirectory)
{
    EXPECT_FALSE(stillRuns(m_run));
    EXPECT_FALSE(stillRuns(m_run / "nothing"));
    say(nowMs());
    EXPECT_FALSE(stillRuns(m_run / "node1.live.json"));
}

} // namespace
} // namespace ringside::live
