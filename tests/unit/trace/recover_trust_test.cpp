// SPDX-License-Identifier: Apache-2.0
// Recovery moves and deletes only files that the collector made for the calling user, whatever the contents
// of a run directory are.
#include "support/temporary_directory.h"
#include "trace/write/database.h"
#include "unfinished_run.h"

#include <ringside/error.h>
#include <ringside/trace/recover.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>

namespace ringside::test {
namespace {

using namespace ringside::trace;
namespace fs = std::filesystem;

constexpr uid_t kSomebodyElse = 65534;

class RecoverTrust : public UnfinishedRun {
protected:
    RecoverTrust() { fs::permissions(m_run, fs::perms::owner_all); }

    void announce(const fs::path& folder) const
    {
        std::ofstream(m_run / "node-1.rings") << folder.string() << "\n";
    }
    /// Two rings and a trace, as a dead process leaves them.
    void fill(const fs::path& folder)
    {
        fs::create_directories(folder);
        m_definitions.save(folder / "node-1.1.ring");
        m_thread.save(folder / "node-1.2.ring");
        Writer writer(folder / "node-1.db", Writer::Mode::Create);
        storeFirstCall(writer);
        writer.commit();
    }
    /// Of all that lies there, links as links.
    static std::map<std::string, std::string> contentOf(const fs::path& folder)
    {
        std::map<std::string, std::string> content;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            std::string& text = content[entry.path().string()];
            if (entry.is_symlink()) {
                text = "-> " + fs::read_symlink(entry.path()).string();
            } else if (entry.is_regular_file()) {
                text = test::contentOf(entry.path());
            }
        }
        return content;
    }
    /// Whatever it throws; both ways in which files are taken.
    void takeAll() const
    {
        for (const auto& take : {+[](const fs::path& run) { copyLeftoverRings(run); },
                                 +[](const fs::path& run) { static_cast<void>(recover(run)); }}) {
            try {
                take(m_run);
            } catch (const Error&) {
            }
        }
    }
    void expectUntouched(const fs::path& folder, const std::string& why) const
    {
        const auto before = contentOf(folder);
        ASSERT_FALSE(before.empty()) << why;
        takeAll();
        EXPECT_EQ(contentOf(folder), before) << why;
    }
    static bool giveAway(const fs::path& path)
    {
        return lchown(path.c_str(), kSomebodyElse, kSomebodyElse) == 0;
    }
};

TEST_F(RecoverTrust, TakesWhatTheCollectorMade)
{
    fill(m_shm);
    EXPECT_EQ(copyLeftoverRings(m_run), 3);
    EXPECT_FALSE(fs::exists(m_shm));
    EXPECT_EQ(recover(m_run).processes.at(0).records, 2);
}

TEST_F(RecoverTrust, LeavesFoldersThatAreNotTheCollectors)
{
    const fs::path home = m_directory / "home";
    fill(home);
    fs::permissions(home, fs::perms::owner_all);
    announce(home);
    expectUntouched(home, "its name is not ours");
    announce(m_directory / "home/../home");
    expectUntouched(home, "nor by another way");

    fill(m_shm);
    announce(m_shm);
    fs::permissions(m_shm, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
    expectUntouched(m_shm, "others may look into it");
}

TEST_F(RecoverTrust, LeavesFoldersBehindLinks)
{
    const fs::path home = m_directory / "home";
    fill(home);
    fs::permissions(home, fs::perms::owner_all);
    const fs::path link = m_directory / "ringside-1000-aaaaaa";
    fs::create_directory_symlink(home, link);
    announce(link);
    expectUntouched(home, "a link with our name");
    announce(link.string() + "/");
    expectUntouched(home, "a link with our name and a slash");

    const fs::path files = m_run / "node-1.ringfiles";
    fs::create_directory_symlink(home, files);
    announce(files);
    expectUntouched(home, "a link in the run directory");
    fs::create_directory_symlink(home, m_run / "rings");
    expectUntouched(home, "a link as the folder of copied rings");
}

TEST_F(RecoverTrust, TakesRingsBesideTheTraceWhereverTheRunWasMoved)
{
    const fs::path files = m_run / "node-1.ringfiles";
    fill(files);
    fs::permissions(files, fs::perms::owner_all);
    announce("/where/it/was/recorded/run.ringside/node-1.ringfiles");
    EXPECT_EQ(recover(m_run).processes.at(0).records, 2);
    EXPECT_FALSE(fs::exists(files));
}

TEST_F(RecoverTrust, LeavesFilesThatAreNotTheCollectors)
{
    const fs::path home = m_directory / "home";
    fill(home);
    saveRings();
    fs::remove(m_shm / "node-1.2.ring");
    fs::create_symlink(home / "node-1.2.ring", m_shm / "node-1.2.ring");
    fs::create_symlink(home / "node-1.db", m_shm / "node-1.db");
    std::ofstream(m_shm / "node-1.3.ring") << "a diary";
    ASSERT_EQ(mkfifo((m_shm / "node-1.4.ring").c_str(), 0600), 0);
    expectUntouched(home, "links to files of ours");
    EXPECT_TRUE(fs::exists(m_shm / "node-1.3.ring"));
    EXPECT_TRUE(fs::exists(m_shm / "node-1.4.ring"));
    EXPECT_FALSE(fs::exists(m_shm / "node-1.1.ring")) << "that one was";
}

TEST_F(RecoverTrust, LeavesAnotherProgramsDatabase)
{
    saveRings();
    {
        Database theirs(m_shm / "node-1.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        theirs.execute("CREATE TABLE photo(id INTEGER)");
    }
    expectUntouched(m_shm, "a database of another program");
    EXPECT_FALSE(fs::exists(m_run / "node-1.db"));
}

TEST_F(RecoverTrust, DoesNotWriteThroughLinksInTheRunDirectory)
{
    const fs::path home = m_directory / "home";
    fill(home);
    saveRings();
    fs::create_symlink(home / "node-1.db", m_run / "node-1.db");
    expectUntouched(home, "a link as the trace");
    fs::remove(m_run / "node-1.db");
    fs::create_symlink(home / "new.db", m_run / "node-1.db");
    expectUntouched(home, "a link to what is not there yet");
}

TEST_F(RecoverTrust, DoesNotWaitForWhatIsNoFile)
{
    saveRings();
    fs::remove(m_run / "node-1.rings");
    ASSERT_EQ(mkfifo((m_run / "node-1.rings").c_str(), 0600), 0);
    takeAll();
    EXPECT_TRUE(fs::exists(m_shm / "node-1.1.ring"));
}

TEST_F(RecoverTrust, LeavesFilesOfOtherUsers)
{
    fill(m_shm);
    if (!giveAway(m_shm)) {
        GTEST_SKIP() << "only root can give a file away";
    }
    expectUntouched(m_shm, "a folder of somebody else");
    ASSERT_EQ(chown(m_shm.c_str(), 0, 0), 0);
    ASSERT_TRUE(giveAway(m_shm / "node-1.1.ring") && giveAway(m_shm / "node-1.2.ring") &&
                giveAway(m_shm / "node-1.db"));
    expectUntouched(m_shm, "files of somebody else");
}

TEST_F(RecoverTrust, WritesIntoNoRunDirectoryOfAnotherUser)
{
    fill(m_shm);
    if (!giveAway(m_run)) {
        GTEST_SKIP() << "only root can give a file away";
    }
    expectUntouched(m_directory.path(), "a run directory of somebody else");
    EXPECT_THROW(static_cast<void>(recover(m_run)), Error);
    EXPECT_THROW(copyLeftoverRings(m_run), Error);
}

TEST_F(RecoverTrust, WritesIntoNoRunDirectoryThatEverybodyMayWriteInto)
{
    fill(m_shm);
    fs::permissions(m_run, fs::perms::all);
    expectUntouched(m_directory.path(), "others can put links there at any moment");
    EXPECT_THROW(static_cast<void>(recover(m_run)), Error);
}

/// Its owner named them, and they are its owner's.
TEST_F(RecoverTrust, ReadsTheRingsOfARunOfAnotherUser)
{
    saveRings();
    for (const fs::path& path :
         {m_run, m_run / "node-1.rings", m_shm, m_shm / "node-1.1.ring", m_shm / "node-1.2.ring"}) {
        if (!giveAway(path)) {
            GTEST_SKIP() << "only root can give a file away";
        }
    }
    EXPECT_EQ(findLeftoverRings(m_run).at(0).rings.size(), 2U);
}

} // namespace
} // namespace ringside::test
