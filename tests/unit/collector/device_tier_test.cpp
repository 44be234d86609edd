// SPDX-License-Identifier: Apache-2.0
// The device tier's decisions and its reading of CUPTI records, without CUPTI.
#include "device/activity_reader.h"
#include "device/buffer_pool.h"
#include "device/device_tier.h"

#include <ringside/trace/reader.h>

#include <sqlite3.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <utility>

using namespace ringside;
using namespace ringside::collector;

namespace {

std::size_t eightBytesEach(std::uint8_t*, std::size_t validBytes)
{
    return validBytes / 8;
}

TEST(BufferPool, neverGivesNullAndCountsTheRecordsThatItGaveUp)
{
    BufferPool pool(&eightBytesEach);
    std::set<std::uint8_t*> buffers;
    for (int index = 0; index < 128; ++index) {
        std::uint8_t* buffer = pool.request();
        ASSERT_NE(buffer, nullptr);
        buffers.insert(buffer);
        pool.finish(buffer, 24);
    }
    EXPECT_EQ(buffers.size(), 128U);
    EXPECT_EQ(pool.lostRecords(), 0U);
    std::uint8_t* taken = pool.request();
    EXPECT_NE(taken, nullptr);
    EXPECT_EQ(pool.handedOut(), 1U);
    EXPECT_EQ(pool.lostRecords(), 3U);
    pool.finish(taken, 8);
    EXPECT_EQ(pool.handedOut(), 0U);
    const auto finished = pool.takeFinished();
    EXPECT_EQ(finished.size(), 128U);
    for (const auto& buffer : finished) {
        pool.giveBack(buffer.data);
    }
}

// A buffer of records of our own layout; nextRecord steps by kRecordBytes, as only CUPTI may know how to.
constexpr std::size_t kRecordBytes = 256;
struct Buffer {
    alignas(8) std::uint8_t bytes[16 * kRecordBytes]{};
    std::size_t used = 0;

    template <class Record>
    void add(const Record& record)
    {
        std::memcpy(bytes + used, &record, sizeof record);
        used += kRecordBytes;
    }
};
int nextRecord(std::uint8_t* buffer, std::size_t validBytes, cupti::Activity** record)
{
    auto* at = reinterpret_cast<std::uint8_t*>(*record);
    at = at == nullptr ? buffer : at + kRecordBytes;
    *record = reinterpret_cast<cupti::Activity*>(at);
    return at < buffer + validBytes ? 0 : 12;
}
int callbackName(std::uint32_t, std::uint32_t, const char** name)
{
    *name = "cudaLaunchKernel_v7000";
    return 0;
}

std::uint32_t g_version = 130000;
int getVersion(std::uint32_t* version)
{
    *version = g_version;
    return 0;
}

struct ActivityReaderTest : testing::Test {
    ActivityReaderTest()
    {
        std::filesystem::remove(path);
        library.nextRecord = &nextRecord;
        library.getVersion = &getVersion;
        library.callbackName = &callbackName;
    }
    ~ActivityReaderTest() override { std::filesystem::remove(path); }

    void readAndClose(Buffer& buffer)
    {
        {
            trace::Writer writer(path, trace::Writer::Mode::Create);
            ActivityReader reader(library, writer, threads);
            reader.addClock({1'000'000'000'000, 5'000'000'000, 1'000'000'000'000});
            reader.addClock(
                {1'001'000'000'000, 6'000'001'000, 1'001'000'000'000}); // 1 ppm faster than the host
            reader.read(buffer.bytes, buffer.used);
            reader.reportIssues();
            writer.close();
        }
    }
    std::string value(const std::string& sql)
    {
        sqlite3* database = nullptr;
        sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
        sqlite3_stmt* statement = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database);
        std::string text;
        if (sqlite3_step(statement) == SQLITE_ROW) {
            text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        }
        sqlite3_finalize(statement);
        sqlite3_close(database);
        return text;
    }
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("ringside-activity-" + std::to_string(getpid()) + ".db");
    CuptiLibrary library;
    ThreadIds threads;
};

TEST(DeviceClock, convertsBetweenTheReadingsAroundATime)
{
    DeviceClock clock;
    clock.add({10'000'000'000, 5'000'000'000, 0});
    EXPECT_FALSE(clock.isReady());
    EXPECT_EQ(clock.toMonotonicNs(10'500'000'000), 5'500'000'000);
    clock.add({11'000'000'000, 6'000'500'000, 0}); // 500 ppm slower than the host
    EXPECT_TRUE(clock.isReady());
    clock.add({11'020'000'000, 6'020'515'000, 0}); // at the end of a window, read 5 us late
    EXPECT_EQ(clock.toMonotonicNs(10'500'000'000), 5'500'250'000);
    EXPECT_EQ(clock.toMonotonicNs(9'000'000'000), 3'999'500'000);
    EXPECT_EQ(clock.toMonotonicNs(11'020'000'000), 6'020'515'000);
}

TEST(DeviceClock, beginsAnewWhenTheTimeIsSetBack)
{
    DeviceClock clock;
    clock.add({10'000'000'000, 5'000'000'000, 0});
    clock.add({11'000'000'000, 6'000'000'000, 0});
    clock.add({9'000'000'000, 7'000'000'000, 0});
    EXPECT_FALSE(clock.isReady());
    EXPECT_EQ(clock.toMonotonicNs(9'500'000'000), 7'500'000'000);
}

TEST(ThreadIds, aHandleIsTheThreadsThatHadItThen)
{
    ThreadIds threads;
    threads.begin(7, 100, 1000);
    threads.end(7, 2000);
    threads.begin(7, 200, 3000);
    EXPECT_EQ(threads.tidAt(7, 500), 100U) << "before its first recorded call";
    EXPECT_EQ(threads.tidAt(7, 1500), 100U);
    EXPECT_EQ(threads.tidAt(7, 2500), 200U);
    EXPECT_EQ(threads.tidAt(7, 9000), 200U);
    EXPECT_EQ(threads.tidAt(8, 1500), 0U);
    threads.end(7, 9500);
    EXPECT_EQ(threads.tidAt(7, 9600), 0U) << "of a thread that is not recorded";
}

TEST(ThreadIds, twoLivingThreadsWithOneHandleAreAmbiguous)
{
    ThreadIds threads;
    threads.begin(7, 100, 1000);
    threads.begin(7, 200, 3000);
    EXPECT_EQ(threads.tidAt(7, 2000), 100U);
    EXPECT_EQ(threads.tidAt(7, 4000), 0U);
}

TEST_F(ActivityReaderTest, convertsDeviceTimesToTheHostsClock)
{
    Buffer buffer;
    cupti::Kernel kernel{};
    kernel.kind = cupti::kKindConcurrentKernel;
    kernel.start = 1'000'500'000'000;
    kernel.end = 1'000'500'001'000;
    kernel.name = "kernel";
    buffer.add(kernel);
    readAndClose(buffer);
    EXPECT_EQ(value("SELECT first_ns FROM kernel_chunk"), "5500000500");
    EXPECT_EQ(value("SELECT last_ns FROM kernel_chunk"), "5500001500");
    EXPECT_EQ(value("SELECT device_ns FROM clock_sample ORDER BY monotonic_ns LIMIT 1"), "1000000000000");
}

TEST_F(ActivityReaderTest, countsWhatCuptiDidNotMeasureInsteadOfStoringZero)
{
    Buffer buffer;
    cupti::Kernel kernel{};
    kernel.kind = cupti::kKindConcurrentKernel;
    kernel.name = "kernel";
    buffer.add(kernel);
    readAndClose(buffer);
    EXPECT_EQ(value("SELECT coalesce(sum(count), 0) FROM kernel_chunk"), "0");
    EXPECT_EQ(value("SELECT count FROM issue WHERE id = 'device_time_missing'"), "1");
}

TEST_F(ActivityReaderTest, readsNoGraphIdWhereRecordsEndBeforeIt)
{
    for (const auto& [version, graphs] : {std::pair(14U, "0"), std::pair(15U, "77")}) {
        std::filesystem::remove(path);
        g_version = version;
        Buffer buffer;
        cupti::Memcpy copy{};
        copy.kind = cupti::kKindMemcpy;
        copy.start = 1'000'100'000'000;
        copy.end = 1'000'100'000'010;
        copy.graphNodeId = 1ULL << 40;
        copy.graphId = 77; // with the older CUPTI this is the next record
        buffer.add(copy);
        readAndClose(buffer);
        const trace::CopyColumns copies = trace::readProcess(path).copies;
        EXPECT_EQ(std::to_string(copies.graph.at(0)), graphs) << version;
        EXPECT_EQ(copies.graphNode.at(0), 1ULL << 40) << version;
    }
}

TEST_F(ActivityReaderTest, keepsInWhichMemoryOfTheHostACopyLies)
{
    constexpr std::uint8_t kDevice = 3;
    constexpr std::uint8_t kOnDevice = 8;
    Buffer buffer;
    cupti::Memcpy copy{};
    copy.kind = cupti::kKindMemcpy;
    copy.start = 1'000'100'000'000;
    copy.end = 1'000'100'000'010;
    copy.copyKind = trace::kCopyToDevice;
    copy.sourceKind = trace::kPinnedMemory;
    copy.destinationKind = kDevice;
    buffer.add(copy);
    copy.copyKind = trace::kCopyToHost;
    copy.sourceKind = kDevice;
    copy.destinationKind = trace::kPageableMemory;
    buffer.add(copy);
    copy.copyKind = kOnDevice;
    buffer.add(copy);
    readAndClose(buffer);
    EXPECT_EQ(trace::readProcess(path).copies.hostMemory,
              (trace::Column<std::uint32_t>{trace::kPinnedMemory, trace::kPageableMemory, 0}));
}

TEST(LaunchIds, FindEachConfigurationHoweverManyThereAre)
{
    constexpr std::uint32_t kMany = 20'000;
    LaunchIds ids;
    const auto keyOf = [](std::uint32_t i) {
        cupti::Shape shape{};
        shape.grid[0] = static_cast<std::int32_t>(i / 2);
        return LaunchKey(i % 2 + 1, shape);
    };
    EXPECT_EQ(ids.find({}), nullptr);
    for (std::uint32_t i = 0; i < kMany; ++i) {
        ASSERT_EQ(ids.find(keyOf(i)), nullptr) << i;
        ids.add(keyOf(i), i);
    }
    EXPECT_EQ(ids.size(), kMany);
    for (std::uint32_t i = 0; i < kMany; ++i) {
        ASSERT_NE(ids.find(keyOf(i)), nullptr) << i;
        ASSERT_EQ(*ids.find(keyOf(i)), i);
    }
    EXPECT_EQ(ids.find(keyOf(kMany)), nullptr);
}

cupti::Kernel kernelWith(const char* name, std::int32_t gridX)
{
    cupti::Kernel kernel{};
    kernel.kind = cupti::kKindConcurrentKernel;
    kernel.start = 1'000'100'000'000;
    kernel.end = 1'000'100'000'010;
    kernel.name = name;
    kernel.grid[0] = gridX;
    kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
    kernel.block[0] = 128;
    kernel.registersPerThread = 40;
    kernel.staticSharedMemory = 16;
    kernel.dynamicSharedMemory = 1024;
    return kernel;
}

TEST_F(ActivityReaderTest, storesEachLaunchConfigurationOnce)
{
    Buffer buffer;
    for (const auto& [name, gridX] :
         {std::pair("a", 5), std::pair("a", 6), std::pair("b", 5), std::pair("a", 5), std::pair("b", 5)}) {
        buffer.add(kernelWith(name, gridX));
    }
    readAndClose(buffer);
    const trace::ProcessTrace process = trace::readProcess(path);
    EXPECT_EQ(process.kernels.configuration, (trace::Column<std::uint32_t>{1, 2, 3, 1, 3}));
    ASSERT_EQ(process.launchConfigurations.size(), 3U);
    const trace::LaunchConfigurationRow& row = process.launchConfigurations[1];
    EXPECT_EQ(process.text(row.name), "a");
    EXPECT_EQ(row, (trace::LaunchConfigurationRow{2, row.name, 6, 1, 1, 128, 1, 1, 40, 16, 1024, 1040,
                                                  std::nullopt}));
}

TEST_F(ActivityReaderTest, knowsNothingOfALaunchThatCuptiDoesNotDescribe)
{
    Buffer buffer;
    cupti::Kernel empty = kernelWith("a", 0);
    buffer.add(empty);
    cupti::Kernel damaged = kernelWith("b", 7);
    damaged.block[0] = -1;
    damaged.registersPerThread = 0;
    damaged.dynamicSharedMemory = -5;
    buffer.add(damaged);
    readAndClose(buffer);
    const trace::ProcessTrace process = trace::readProcess(path);
    EXPECT_EQ(process.kernels.configuration, (trace::Column<std::uint32_t>{0, 1}));
    ASSERT_EQ(process.launchConfigurations.size(), 1U);
    const trace::LaunchConfigurationRow& row = process.launchConfigurations[0];
    EXPECT_EQ(row.gridX, 7);
    EXPECT_EQ(row.blockX, std::nullopt);
    EXPECT_EQ(row.registersPerThread, std::nullopt);
    EXPECT_EQ(row.staticSharedBytes, 16);
    EXPECT_EQ(row.dynamicSharedBytes, std::nullopt);
    EXPECT_EQ(row.sharedBytes, std::nullopt);
}

TEST_F(ActivityReaderTest, sortsRecordsIntoTheirTables)
{
    Buffer buffer;
    cupti::Memcpy copy{};
    copy.kind = cupti::kKindMemcpy;
    copy.start = 1'000'100'000'000;
    copy.end = 1'000'100'000'010;
    buffer.add(copy);
    cupti::Memset set{};
    set.kind = cupti::kKindMemset;
    set.start = copy.start;
    set.end = copy.end;
    buffer.add(set);
    cupti::ExternalCorrelation link{cupti::kKindExternalCorrelation, 5, 33, 44}; // CUSTOM2
    buffer.add(link);
    for (const std::uint32_t another : {1U, 3U, 4U}) { // the last two are the PyTorch profiler's
        link.externalKind = another;
        link.externalId = 99;
        buffer.add(link);
    }
    cupti::Api api{};
    api.kind = cupti::kKindRuntime;
    api.start = copy.start;
    api.end = copy.end;
    buffer.add(api);
    readAndClose(buffer);
    EXPECT_EQ(value("SELECT sum(count) FROM copy_chunk"), "2");
    const trace::CallCorrelationColumns links = trace::readProcess(path).callCorrelations;
    ASSERT_EQ(links.size(), 1U);
    EXPECT_EQ(links.call.at(0), 33U);
    EXPECT_EQ(value("SELECT sum(count) FROM launch_chunk"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM string WHERE text = 'cudaLaunchKernel'"), "1");
}

} // namespace
