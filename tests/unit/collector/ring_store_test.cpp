// SPDX-License-Identifier: Apache-2.0
#include "record/ring_store.h"
#include "support/temporary_directory.h"
#include "trace/read/process_state.h"

#include <ringside/trace/recover.h>
#include <ringside/trace/ring_folders.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

using namespace ringside;
using namespace ringside::collector;

namespace {

struct RingStoreTest : testing::Test {
    ~RingStoreTest() override { store->removeFiles(); }
    ringside::test::TemporaryDirectory temporary;
    std::filesystem::path directory = temporary.path();
    std::unique_ptr<RingStore> store = std::make_unique<RingStore>(ProcessNames{"host", "host-1", directory});
};

TEST_F(RingStoreTest, writesAHeaderThatRecoveryUnderstands)
{
    Ring* ring = store->create(trace::RingRole::Definitions, 1 << 16);
    ASSERT_NE(ring, nullptr);
    const trace::RingHeader& header = ring->header();
    EXPECT_EQ(header.magic, trace::kRingMagic);
    EXPECT_EQ(header.version, trace::kRingVersion);
    EXPECT_EQ(header.slotCount, (1U << 16) / trace::kSlotBytes);
    EXPECT_STREQ(header.processName, "host-1");
    EXPECT_EQ(header.ringId, 1U);
    EXPECT_GT(header.processStartTicks, 0U);
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    EXPECT_EQ(header.bootId, boot);
    std::ifstream list(directory / "host-1.rings");
    std::string folder;
    std::getline(list, folder);
    EXPECT_TRUE(std::filesystem::path(ring->path()).string().starts_with(folder));
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
}

// Who can write into the run directory can guess the name. Nothing is recorded then, rather than in
// somebody's file.
TEST_F(RingStoreTest, announcesItselfThroughNoLink)
{
    const auto elsewhere = directory / "elsewhere";
    std::filesystem::create_symlink(elsewhere, directory / "host-1.rings");
    EXPECT_EQ(store->create(trace::RingRole::Definitions, 1 << 16), nullptr);
    EXPECT_FALSE(std::filesystem::exists(elsewhere));
    EXPECT_TRUE(std::filesystem::is_symlink(directory / "host-1.rings"));
}

TEST_F(RingStoreTest, hundredsOfThreadsShareWhatAFewTake)
{
    constexpr std::size_t kAsked = std::size_t{4} << 20;
    std::size_t bytes = 0;
    for (int thread = 0; thread < 100; ++thread) {
        const Ring* const ring = store->create(trace::RingRole::Thread, kAsked);
        ASSERT_NE(ring, nullptr);
        EXPECT_TRUE(thread >= 12 || ring->mapping().size() > kAsked) << thread;
        bytes += ring->mapping().size();
    }
    EXPECT_LT(bytes, std::size_t{160} << 20);
    EXPECT_EQ(store->shortage(), RingStore::Shortage{}) << "no room is missing";
}

// Anybody may make a folder whose name begins like ours, and a file in it that takes nothing.
TEST_F(RingStoreTest, countsWhatFilesTakeAndNotWhatTheyClaim)
{
    std::string pattern = "/dev/shm/ringside-" + std::to_string(getuid()) + "-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const std::filesystem::path ring = std::filesystem::path(pattern) / "other-1.1.ring";
    std::ofstream(ring).flush();
    std::error_code error;
    std::filesystem::resize_file(ring, std::uintmax_t{1} << 50, error);
    const Ring* const made = store->create(trace::RingRole::Thread, 1 << 20);
    std::filesystem::remove_all(pattern);
    ASSERT_FALSE(error) << error.message();
    ASSERT_NE(made, nullptr);
    EXPECT_TRUE(made->path().starts_with("/dev/shm/")) << made->path();
}

// Else recovery would take the rings of a living process away.
TEST_F(RingStoreTest, recoveryDetectsThatTheProcessRuns)
{
    ASSERT_NE(store->create(trace::RingRole::Definitions, 1 << 16), nullptr);
    const auto leftovers = trace::findLeftoverRings(directory);
    ASSERT_EQ(leftovers.size(), 1U);
    EXPECT_TRUE(leftovers[0].running);
    EXPECT_EQ(trace::copyLeftoverRings(directory), 0);
}

// While the pages of a large one are touched, who controls or recovers the run may come by.
TEST_F(RingStoreTest, showsARingOnlyWhenItsHeaderIsComplete)
{
    constexpr std::size_t kManyPagesBytes = std::size_t{64} << 20U;
    constexpr int kRings = 8;
    std::atomic<int> made = 0;
    std::thread maker([this, &made] {
        for (; made < kRings; ++made) {
            Ring* const ring = store->create(trace::RingRole::Thread, kManyPagesBytes);
            ASSERT_NE(ring, nullptr);
            ASSERT_EQ(truncate(ring->path().c_str(), trace::kRingHeaderBytes), 0); // memory for the next one
        }
    });
    int seen = 0;
    while (made < kRings) {
        for (const trace::LeftoverRings& leftover : trace::findLeftoverRings(directory)) {
            for (const auto& ring : leftover.rings) {
                const auto owner = trace::ringOwner(ring);
                EXPECT_TRUE(owner && owner->startTicks != 0) << ring;
                ++seen;
            }
        }
    }
    maker.join();
    EXPECT_GT(seen, 0);
}

// Who is killed meanwhile would leave it there for ever.
TEST_F(RingStoreTest, makesARingInMemoryWithoutAName)
{
    constexpr std::size_t kManyPagesBytes = std::size_t{64} << 20U;
    const Ring* const first = store->create(trace::RingRole::Definitions, 1 << 16);
    ASSERT_NE(first, nullptr);
    const std::filesystem::path place = std::filesystem::path(first->path()).parent_path();
    if (!place.string().starts_with("/dev/shm")) {
        GTEST_SKIP() << "too little memory for rings";
    }
    std::atomic<bool> isMade = false;
    std::thread maker([this, &isMade] {
        EXPECT_NE(store->create(trace::RingRole::Thread, kManyPagesBytes), nullptr);
        isMade = true;
    });
    std::set<std::string> unfinished;
    while (!isMade) {
        for (const auto& entry : std::filesystem::directory_iterator(place)) {
            if (entry.path().extension() != trace::kRingExtension &&
                entry.path().extension() != trace::kFolderNoteExtension) {
                unfinished.insert(entry.path().filename().string());
            }
        }
    }
    maker.join();
    EXPECT_EQ(unfinished, std::set<std::string>());
}

TEST_F(RingStoreTest, handsARingOnOnlyWhenItIsFree)
{
    Ring* first = store->acquire(1, 1 << 16);
    Ring* second = store->acquire(2, 1 << 16);
    ASSERT_NE(first, second);
    first->use = Ring::Use::OwnerGone;
    EXPECT_NE(store->acquire(3, 1 << 16), first);
    first->use = Ring::Use::Free;
    EXPECT_EQ(store->acquire(4, 1 << 16), first);
    EXPECT_EQ(first->header().threadId, 4U);
}

TEST_F(RingStoreTest, leavesNothingBehindAfterACleanClose)
{
    Ring* ring = store->create(trace::RingRole::Thread, 1 << 16);
    ASSERT_NE(ring, nullptr);
    const std::filesystem::path file = ring->path();
    EXPECT_TRUE(std::filesystem::exists(file));
    store->removeFiles();
    EXPECT_FALSE(std::filesystem::exists(file.parent_path()));
    EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(RingStoreTest, refusesARingBeyondTheFileSizeLimitWithoutASignal)
{
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_EQ(store->create(trace::RingRole::Thread, 1 << 16), nullptr);
    setrlimit(RLIMIT_FSIZE, &before);
}

} // namespace
