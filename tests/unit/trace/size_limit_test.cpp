// SPDX-License-Identifier: Apache-2.0
// A trace that is kept within a size: what stays, and how large the file becomes.
#include "support/temporary_directory.h"
#include "trace/write/database.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/writer.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace ringside::test {
namespace {

using namespace ringside::trace;

constexpr std::int64_t kLimit = 4 << 20;
constexpr std::int64_t kChunkBytes = 65536 * 44; // of the widest rows here, not compressed

std::int64_t now()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// Rows that do not compress, one a microsecond up to now, as a drain thread commits them. Returns the
/// largest size that the file had, its log included.
class Filled {
public:
    enum class Reader { None, HoldsTheLog };

    explicit Filled(WhenFull whenFull, Reader reader = Reader::None)
    {
        Writer writer(file, Writer::Mode::Create);
        std::optional<Database> other;
        if (reader == Reader::HoldsTheLog) {
            other.emplace(file, SQLITE_OPEN_READONLY).execute("BEGIN; SELECT count(*) FROM step_mark");
        }
        writer.setProcess({"host", "boot", 1, start, std::nullopt, "train", "", false});
        writer.limitSize({kLimit, whenFull});
        for (std::int64_t row = 0; row < kRows; ++row) {
            add(writer, row);
            if (row % 5000 == 0) {
                writer.commit();
                measure();
            }
            if (row == kRows * 9 / 10) {
                other.reset();
            }
        }
        full = writer.isFull();
        refused = writer.refusedRows();
        deleted = writer.deletedRows();
        completeFrom = writer.completeFromNs();
        CommunicatorRow communicator;
        communicator.id = 1;
        writer.add(communicator); // definitions are always taken
        writer.defineString(5, "a name");
        writer.close();
        measure();
        process = readProcess(file);
    }

    static constexpr std::int64_t kRows = 400'000;
    const std::int64_t start = now();
    std::vector<std::int64_t> starts; ///< of all rows, by row
    const TemporaryDirectory directory;
    const std::filesystem::path file = directory.path() / "host-1.db";
    std::uintmax_t largest = 0;
    bool full = false;
    std::int64_t refused = 0;
    std::int64_t deleted = 0;
    std::optional<std::int64_t> completeFrom;
    ProcessTrace process;

private:
    void add(Writer& writer, std::int64_t row)
    {
        random = random * 6364136223846793005U + 1442695040888963407U;
        ApiCallRow call;
        call.startNs = now();
        call.endNs = call.startNs + 1;
        call.thread = static_cast<std::uint32_t>(row);
        starts.push_back(call.startNs);
        call.bytes = random;
        call.stream = static_cast<std::uint32_t>(random >> 20U);
        writer.add(call);
        writer.add(
            CallCorrelationRow{static_cast<std::uint32_t>(random >> 9U), static_cast<std::uint64_t>(row)});
        if (row % 10 == 0) {
            writer.add(StepRow{row / 10, call.startNs, call.endNs, 1});
        }
    }
    void measure()
    {
        std::error_code absent;
        const auto log = std::filesystem::file_size(file.string() + "-wal", absent);
        largest = std::max(largest, std::filesystem::file_size(file) + (absent ? 0 : log));
    }
    std::uint64_t random = 1;
};

TEST(SizeLimit, theOldestMakesRoom)
{
    const Filled trace(WhenFull::Oldest);
    EXPECT_LE(trace.largest, kLimit + kChunkBytes);
    EXPECT_FALSE(trace.full);
    ASSERT_TRUE(trace.completeFrom);
    const auto lost = static_cast<std::size_t>(
        std::lower_bound(trace.starts.begin(), trace.starts.end(), *trace.completeFrom) -
        trace.starts.begin());
    ASSERT_LT(lost, trace.starts.size());
    const auto& threads = trace.process.apiCalls.thread;
    std::vector<std::uint32_t> rows(threads.begin(), threads.end());
    std::sort(rows.begin(), rows.end());
    ASSERT_FALSE(rows.empty());
    EXPECT_LE(rows.front(), lost) << "everything is there from that moment on";
    EXPECT_EQ(rows.back() - rows.front() + 1, rows.size());
    EXPECT_EQ(rows.back(), Filled::kRows - 1);
    const auto kept = rows.size() + trace.process.steps.size() + trace.process.callCorrelations.size();
    EXPECT_EQ(kept + static_cast<std::size_t>(trace.deleted),
              static_cast<std::size_t>(Filled::kRows * 21 / 10))
        << "what was deleted is counted";
    EXPECT_GE(trace.process.steps.front().startNs, *trace.completeFrom);
    EXPECT_EQ(trace.process.steps.back().number, Filled::kRows / 10 - 1);
    EXPECT_LT(trace.process.callCorrelations.size(), static_cast<std::size_t>(Filled::kRows));
    EXPECT_EQ(trace.process.callCorrelations.call.back(), static_cast<std::uint64_t>(Filled::kRows - 1));
    EXPECT_EQ(trace.process.communicators.size(), 1U);
    EXPECT_EQ(trace.process.text(5), "a name");
}

TEST(SizeLimit, orNothingIsTakenAnyMore)
{
    const Filled trace(WhenFull::Stop);
    EXPECT_LE(trace.largest, kLimit + kChunkBytes);
    EXPECT_TRUE(trace.full);
    EXPECT_FALSE(trace.completeFrom);
    const auto& starts = trace.process.apiCalls.startNs;
    ASSERT_FALSE(starts.empty());
    EXPECT_EQ(starts.front(), trace.starts.front());
    EXPECT_LT(starts.size(), static_cast<std::size_t>(Filled::kRows));
    const auto kept = starts.size() + trace.process.callCorrelations.size() + trace.process.steps.size();
    EXPECT_EQ(kept + static_cast<std::size_t>(trace.refused),
              static_cast<std::size_t>(Filled::kRows * 21 / 10));
    EXPECT_EQ(trace.process.communicators.size(), 1U);
    EXPECT_EQ(trace.process.text(5), "a name");
}

TEST(SizeLimit, aReaderThatHoldsTheLogDoesNotLetItGrow)
{
    for (const WhenFull whenFull : {WhenFull::Stop, WhenFull::Oldest}) {
        const Filled trace(whenFull, Filled::Reader::HoldsTheLog);
        EXPECT_LE(trace.largest, 2 * kLimit + kChunkBytes);
        EXPECT_GT(trace.refused, 0);
        EXPECT_FALSE(trace.full) << "when the reader goes, it goes on";
        EXPECT_EQ(trace.process.steps.back().number, Filled::kRows / 10 - 1);
    }
}

TEST(SizeLimit, whatIsOldIsDroppedWhenAsked)
{
    const TemporaryDirectory directory;
    Writer writer(directory.path() / "host-1.db", Writer::Mode::Create);
    writer.setProcess({"host", "boot", 1, 0, std::nullopt, "train", "", false});
    for (std::int64_t second = 0; second < 10; ++second) {
        writer.add(KernelRow{second, second + 1, 1, 0, 7, static_cast<std::uint32_t>(second)});
        writer.add(StepRow{second, second, second + 1, 1});
        writer.commit();
        writer.dropBefore(second - 3);
    }
    writer.close();
    const ProcessTrace process = readProcess(directory.path() / "host-1.db");
    EXPECT_EQ(process.steps.front().number, 6);
    EXPECT_EQ(process.kernels.startNs.front(), 5); // it ended at 6
    EXPECT_EQ(process.kernels.startNs.back(), 9);
}

} // namespace
} // namespace ringside::test
