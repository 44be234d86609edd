// SPDX-License-Identifier: Apache-2.0
// Whole exports of Nsight Systems, small and made here, through the frame that users go through.
#include "import/open_run.h"
#include "import/write_run.h"
#include "issue_of.h"
#include "model/build_model.h"
#include "model/model.h"
#include "support/nsys_export.h"
#include "support/temporary_directory.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace ringside::importers {
namespace {

using test::contentOf;
using test::NsysExport;
using test::NsysForm;
using test::NsysPayload;
using test::TemporaryDirectory;

trace::RunTrace open(const std::filesystem::path& path)
{
    Progress progress;
    return openRun({path}, progress);
}

constexpr std::uint64_t kWorld = 0xFEEDFACECAFEBEEFULL;

class NsysFile : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path file(const std::string& name = "report.sqlite") const
    {
        return m_folder / name;
    }
    trace::ProcessTrace import() { return std::move(open(file()).processes.front()); }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder.path(); }

private:
    TemporaryDirectory m_folder;
};

class EveryForm : public NsysFile, public testing::WithParamInterface<NsysForm> {};

TEST_P(EveryForm, GivesKernelsCopiesCallsAndRanges)
{
    NsysExport(file(), GetParam())
        .process(NsysExport::kPid, "/usr/bin/python3")
        .kernel("gemm", 5, 1'200, 1'500)
        .copy(4096, 6, 1'600, 1'650)
        .set(64, 7, 1'700, 1'710)
        .call("cudaLaunchKernel_v7000", 5, 1'000, 1'010)
        .call("cudaStreamSynchronize_v3020", 8, 1'800, 1'900)
        .range("aten::linear, seq = 3, op_id = 9", 900, 2'000)
        .range("aten::mm, op_id = 10", 950, 1'100);
    const auto process = import();
    ASSERT_EQ(process.kernels.size(), 1U);
    EXPECT_EQ(process.text(process.kernels.name[0]), "gemm");
    EXPECT_EQ(process.kernels.startNs[0], 1'200);
    EXPECT_EQ(process.kernels.endNs[0], 1'500);
    EXPECT_EQ(process.kernels.stream[0], 7U);
    ASSERT_EQ(process.copies.size(), 2U);
    EXPECT_EQ(process.copies.bytes[0], 4096U);
    EXPECT_EQ(process.copies.kind[0], 1U);
    EXPECT_EQ(process.copies.hostMemory[0], trace::kPageableMemory);
    EXPECT_EQ(process.copies.kind[1], trace::kSetKind);
    EXPECT_EQ(process.copies.hostMemory[1], 0U);
    ASSERT_EQ(process.apiCalls.size(), 2U);
    EXPECT_EQ(process.text(process.apiCalls.api[1]), "cudaStreamSynchronize");
    ASSERT_EQ(process.launches.size(), 1U); // what waits launches nothing
    EXPECT_EQ(process.text(process.launches.api[0]), "cudaLaunchKernel");
    EXPECT_EQ(process.launches.tid[0], NsysExport::kPid);
    ASSERT_EQ(process.ranges.size(), 2U);
    EXPECT_EQ(process.text(process.ranges[1].name), "aten::mm");
    EXPECT_EQ(process.ranges[1].depth, 1);
    EXPECT_EQ(process.process.pid, NsysExport::kPid);
    EXPECT_EQ(process.process.command, "python3");
    EXPECT_EQ(process.process.startNs, 900);
    EXPECT_EQ(issueOf(process, "unknown_export_version"), nullptr);
}

TEST_P(EveryForm, GivesCallsOfNcclWithTheirPayload)
{
    NsysExport(file(), GetParam(), true)
        .ncclRange("ncclCommInitRank", 100, 200, {.communicator = kWorld, .ranks = 8, .rank = 3, .device = 0})
        .collective("ncclAllReduce", NsysExport::kAllReduce, 5, 1'000, 2'000,
                    {.communicator = kWorld, .bytes = 4096})
        .collective("ncclAllReduce", NsysExport::kAllReduce, 6, 3'000, 4'000,
                    {.communicator = kWorld, .bytes = 64});
    const auto process = import();
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    const trace::CollectiveCallRow& call = process.collectiveCalls[1];
    EXPECT_EQ(process.text(call.api), "ncclAllReduce");
    EXPECT_EQ(call.sequence, 1);
    EXPECT_EQ(call.startNs, 2'900);
    EXPECT_EQ(process.callCorrelations.correlation, (trace::Column<std::uint32_t>{5, 6}));
    ASSERT_EQ(process.communicators.size(), 1U);
    if (GetParam() == NsysForm::Legacy) { // there were no payloads yet
        EXPECT_EQ(call.bytes, std::nullopt);
        EXPECT_NE(issueOf(process, "message_sizes_missing"), nullptr);
        return;
    }
    EXPECT_EQ(call.bytes, 64U);
    EXPECT_EQ(process.communicators[0].ncclHash, kWorld);
    EXPECT_EQ(process.communicators[0].size, 8);
    EXPECT_EQ(process.communicators[0].rank, 3);
    ASSERT_EQ(process.ranks.size(), 1U);
    EXPECT_EQ(process.ranks[0].rank, 3);
    EXPECT_EQ(process.ranks[0].worldSize, 8);
    EXPECT_EQ(issueOf(process, "message_sizes_missing"), nullptr);
    EXPECT_EQ(issueOf(process, "payload_unreadable"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Nsys, EveryForm, testing::ValuesIn(test::kNsysForms));

TEST_F(NsysFile, ReportsWhySizesAreMissing)
{
    NsysExport(file()).collective("ncclAllReduce", NsysExport::kAllReduce, 5, 1'000, 2'000,
                                  {.communicator = kWorld, .bytes = 4096});
    const auto process = import();
    const auto* const issue = issueOf(process, "message_sizes_missing");
    ASSERT_NE(issue, nullptr);
    EXPECT_EQ(issue->count, 1);
    EXPECT_NE(issue->message.find("--include-blobs=true"), std::string::npos);
    EXPECT_FALSE(process.collectiveCalls.at(0).count);
    EXPECT_EQ(process.collectiveCalls.at(0).bytes, std::nullopt);
}

/// PyTorch's all-to-all between two ranks.
void addAllToAll(NsysExport& nsys, std::int64_t correlation, std::int64_t at, std::int64_t end,
                 std::int64_t pid, std::int64_t device)
{
    nsys.range("nccl:all_to_all, op_id = 4", at, at + 100, pid)
        .ncclRange("ncclGroupStart", at + 10, at + 15, {}, pid)
        .ncclRange("ncclSend", at + 20, at + 25, {}, pid)
        .ncclRange("ncclRecv", at + 30, at + 35, {}, pid)
        .ncclRange("ncclGroupEnd", at + 40, at + 90, {}, pid)
        .call("cuLaunchKernelEx", correlation, at + 50, at + 60, pid)
        .kernel(NsysExport::kSendRecv, correlation, at + 200, end, pid, device);
}

TEST_F(NsysFile, AGroupOfSendsAndReceivesIsTheCollectiveThatPyTorchMakesOfIt)
{
    NsysExport nsys(file());
    for (const std::int64_t rank : {0, 1}) {
        // This kernel's launch, and so what it is, came before the recording: it keeps its place.
        nsys.kernel(NsysExport::kSendRecv, 1, 100, 500 + rank, NsysExport::kPid + rank, rank);
        addAllToAll(nsys, 2, 1'000, 2'000 + rank, NsysExport::kPid + rank, rank);
        addAllToAll(nsys, 3, 3'000, 4'000 + rank, NsysExport::kPid + rank, rank);
    }
    const trace::RunTrace run = open(file());
    ASSERT_EQ(run.processes.size(), 2U);
    const auto& process = run.processes[1];
    ASSERT_EQ(process.collectiveCalls.size(), 2U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAlltoAll");
    EXPECT_EQ(process.collectiveCalls[0].sequence, 1);
    EXPECT_EQ(process.collectiveCalls[0].startNs, 1'010);
    EXPECT_EQ(process.collectiveCalls[0].endNs, 1'090);
    EXPECT_EQ(issueOf(process, "collectives_unnamed")->count, 1);
    EXPECT_EQ(process.ranks.at(0).rank, 1);
    EXPECT_EQ(process.ranks.at(0).device, 1);
    const model::Model model = model::buildModel(run);
    ASSERT_EQ(model.operations.size(), 2U);
    EXPECT_TRUE(model.operations[0].measured());
    EXPECT_FALSE(model.operations[0].bytes);
}

TEST_F(NsysFile, NeverTouchesTheFileAndWritesNothingBesideIt)
{
    NsysExport(file()).kernel("gemm", 5, 1'200, 1'500).execute("PRAGMA journal_mode = WAL");
    const std::string before = contentOf(file());
    static_cast<void>(open(folder()));
    EXPECT_EQ(contentOf(file()), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder()), {}), 1);
}

TEST_F(NsysFile, KeepsNothingOfEnvironmentAndCommandLine)
{
    NsysExport(file())
        .kernel("gemm", 5, 1'200, 1'500)
        .captured("PROCESS_0:ENVIRONMENT_VARIABLE", "WANDB_API_KEY=\"hunter2\"")
        .captured("PROCESS_0:ENVIRONMENT_VARIABLE", "RANK=\"3\"")
        .captured("PROCESS_0:ARGUMENT_0", "--token=hunter2")
        .execute("CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, name TEXT, value TEXT);"
                 "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, 'DeviceEnvironment', 'KEY=hunter2')");
    const trace::RunTrace run = open(file());
    EXPECT_EQ(run.processes.at(0).ranks.at(0).rank, 3); // the launcher's number is no secret
    EXPECT_EQ(run.processes.at(0).ranks.at(0).source, "RANK");
    const TemporaryDirectory kept;
    writeRun(run, kept.path());
    const auto entry = std::filesystem::directory_iterator(kept.path())->path();
    EXPECT_EQ(contentOf(entry).find("hunter2"), std::string::npos);
}

std::string refusalOf(const std::filesystem::path& path)
{
    try {
        static_cast<void>(open(path));
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.hint;
    }
    return "";
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

TEST_F(NsysFile, RefusesFilesWithoutDataAndGivesAHint)
{
    const auto write = [this](const std::string& name, const std::string& content) {
        std::ofstream(file(name), std::ios::binary) << content;
        return refusalOf(file(name));
    };
    EXPECT_TRUE(holds(write("report.nsys-rep", "QDSS"), "nsys export --type sqlite"));
    EXPECT_TRUE(holds(write("zeros.sqlite", std::string(8192, '\0')), "its export was interrupted"));
    EXPECT_TRUE(holds(write("text.sqlite", "hello"), "not a trace that can be read"));
    trace::Database(file("other.sqlite"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        .execute("CREATE TABLE places (url TEXT)");
    EXPECT_TRUE(holds(refusalOf(file("other.sqlite")), "not a trace that can be read"));
    NsysExport(file("idle.sqlite")).range("step", 1, 2);
    EXPECT_TRUE(holds(refusalOf(file("idle.sqlite")), "neither work of a GPU nor NVTX ranges of NCCL"));
}

TEST_F(NsysFile, GivesLaunchConfigurationsWhereTheExportHasThem)
{
    NsysExport nsys(file());
    for (const int correlation : {5, 6, 7, 8}) {
        nsys.kernel("gemm", correlation, 1'000 + correlation * 100, 1'050 + correlation * 100);
    }
    const std::string table = "CUPTI_ACTIVITY_KIND_KERNEL";
    for (const char* column : {"gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
                               "staticSharedMemory", "dynamicSharedMemory"}) {
        nsys.execute("ALTER TABLE " + table + " ADD COLUMN " + column);
    }
    const std::string all = "UPDATE " + table +
                            " SET gridX = 46800, gridY = 2, gridZ = 1, blockX = 128,"
                            " blockY = 1, blockZ = 1, registersPerThread = 96, staticSharedMemory = 21568,"
                            " dynamicSharedMemory = 82240 WHERE correlationId ";
    nsys.execute(all + "IN (5, 7, 8)");
    nsys.execute("UPDATE " + table +
                 " SET gridX = -3, gridY = 1 << 62, gridZ = 'x', blockX = 0,"
                 " dynamicSharedMemory = -1, registersPerThread = NULL WHERE correlationId = 8");
    const auto process = import();
    EXPECT_EQ(process.kernels.configuration, (trace::Column<std::uint32_t>{1, 0, 1, 2}));
    ASSERT_EQ(process.launchConfigurations.size(), 2U);
    const trace::StringId name = process.kernels.name[0];
    EXPECT_EQ(process.launchConfigurations[0],
              (trace::LaunchConfigurationRow{1, name, 46800, 2, 1, 128, 1, 1, 96, 21568, 82240, 103808,
                                             std::nullopt}));
    EXPECT_EQ(
        process.launchConfigurations[1],
        (trace::LaunchConfigurationRow{2, name, std::nullopt, std::nullopt, std::nullopt, std::nullopt, 1, 1,
                                       std::nullopt, 21568, std::nullopt, std::nullopt, std::nullopt}));
}

TEST_F(NsysFile, LeavesOutRowsThatCannotBeAndCountsThem)
{
    const std::string kernels = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId,"
                                " correlationId, globalPid, demangledName) VALUES ";
    const std::string pid = std::to_string(NsysExport::globalPid(NsysExport::kPid));
    NsysExport nsys(file());
    nsys.kernel("gemm", 5, 1'200, 1'500);
    nsys.execute(kernels + "(1300, 1200, 0, 7, 6, " + pid + ", 1)");                  // ends before it starts
    nsys.execute(kernels + "(1300, 9223372036854775807, 0, 7, 6, " + pid + ", 1)");   // 292 years
    nsys.execute(kernels + "(-9223372036854775807 - 1, 0, 0, 7, 6, " + pid + ", 1)"); // the other way
    nsys.execute(kernels + "('1300', NULL, 0, 7, 6, " + pid + ", 1)");
    nsys.execute(kernels + "(1300, 1400, NULL, 7, 6, " + pid + ", 1)");
    nsys.execute(kernels + "(1300, 1400, 0, 99999999999, 6, " + pid + ", 1)");
    nsys.execute(kernels + "(1600, 1700, 0, 7, 'x', " + pid + ", 77)"); // its name is nowhere: it stays
    nsys.copy(-5, 8, 1'800, 1'900);
    const auto process = import();
    EXPECT_EQ(process.kernels.size(), 2U);
    EXPECT_EQ(issueOf(process, "implausible_time")->count, 5);
    EXPECT_EQ(issueOf(process, "incomplete_event")->count, 2);
    EXPECT_EQ(issueOf(process, "names_missing")->count, 1);
}

TEST_F(NsysFile, RunsNothingThatTheFileBrings)
{
    NsysExport nsys(file());
    nsys.kernel("gemm'); DROP TABLE StringIds; --", 5, 1'200, 1'500);
    nsys.execute(
        "DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS"
        " WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT start FROM n");
    nsys.execute("DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET; CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET"
                 " (start INTEGER, end INTEGER AS (hex(start)), deviceId INTEGER)");
    nsys.execute("CREATE TRIGGER again AFTER INSERT ON CUPTI_ACTIVITY_KIND_KERNEL BEGIN"
                 " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start) VALUES (new.start + 1); END");
    const auto process = import();
    ASSERT_EQ(process.kernels.size(), 1U);
    EXPECT_EQ(process.text(process.kernels.name[0]), "gemm'); DROP TABLE StringIds; --");
    EXPECT_EQ(process.copies.size(), 0U);
}

/// Pages whose cells all lead to the same page give rows without end: 0x05 is an interior page of a table.
TEST_F(NsysFile, GivesNoMoreRowsThanItHasRoomFor)
{
    constexpr std::int64_t kRows = 3'000;
    {
        NsysExport nsys(file());
        for (std::int64_t i = 1; i <= kRows; ++i) {
            nsys.kernel("gemm", i, i * 1'000, i * 1'000 + 500);
        }
    }
    std::string bytes = contentOf(file());
    constexpr std::size_t kPage = 512;
    for (std::size_t page = kPage; page + kPage <= bytes.size(); page += kPage) {
        if (bytes[page] != 0x05) {
            continue;
        }
        const auto cells = static_cast<std::size_t>(static_cast<unsigned char>(bytes[page + 4])) |
                           static_cast<std::size_t>(static_cast<unsigned char>(bytes[page + 3])) << 8U;
        for (std::size_t cell = 1; cell < std::min<std::size_t>(cells, 60); ++cell) {
            const auto at = [&](std::size_t pointer) {
                return static_cast<std::size_t>(static_cast<unsigned char>(bytes[page + 12 + 2 * pointer]))
                           << 8U |
                       static_cast<std::size_t>(static_cast<unsigned char>(bytes[page + 13 + 2 * pointer]));
            };
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(page + at(0)), 4,
                        bytes.begin() + static_cast<std::ptrdiff_t>(page + at(cell)));
        }
    }
    std::ofstream(file(), std::ios::binary) << bytes;
    const trace::RunTrace run = open(file());
    for (const trace::ProcessTrace& process : run.processes) {
        EXPECT_LE(process.kernels.size(), bytes.size() / 8 + 1'000);
    }
}

TEST_F(NsysFile, NumbersProcessesInTheirOrderIfRanksAreUnknown)
{
    NsysExport(file("node-a.sqlite")).kernel("gemm", 5, 100, 200, 100).kernel("gemm", 5, 100, 200, 101, 1);
    NsysExport(file("node-b.sqlite")).kernel("gemm", 5, 100, 200, 100).kernel("gemm", 5, 100, 200, 101, 1);
    const trace::RunTrace run = open(folder());
    ASSERT_EQ(run.processes.size(), 4U);
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
        EXPECT_EQ(run.processes[i].ranks.at(0).rank, static_cast<std::int64_t>(i));
    }
    EXPECT_EQ(std::ranges::count(run.issues, std::string("rank_guessed"), &trace::IssueRow::id), 1);
}

TEST_F(NsysFile, TakesTheRankFromTheNameOfAFileOfOneProcess)
{
    NsysExport(file("report_rank5.sqlite")).kernel("gemm", 5, 100, 200);
    EXPECT_EQ(open(folder()).processes.at(0).ranks.at(0).rank, 5);
}

TEST_F(NsysFile, TwoFilesOfOneRankAreNamed)
{
    for (const char* const name : {"a.sqlite", "b.sqlite"}) {
        NsysExport(file(name), NsysForm::V330, true)
            .ncclRange("ncclCommInitRank", 1, 2, {.communicator = kWorld, .ranks = 8, .rank = 3, .device = 0})
            .kernel("gemm", 5, 100, 200);
        // A communicator is known by its use, too.
        NsysExport(file(std::string("used-") + name), NsysForm::V330, true)
            .ncclRange("ncclCommInitRank", 1, 2, {.communicator = kWorld, .ranks = 8, .rank = 3, .device = 0})
            .collective("ncclAllReduce", NsysExport::kAllReduce, 5, 1'000, 2'000,
                        {.communicator = kWorld, .bytes = 8});
    }
    const std::string refusal = refusalOf(folder());
    EXPECT_TRUE(holds(refusal, "rank 3 is claimed by two files")) << refusal;
    EXPECT_TRUE(holds(refusal, "used-a.sqlite") && holds(refusal, "used-b.sqlite")) << refusal;
}

TEST_F(NsysFile, SeveralDevicesOfAProcessAreAsManyRanks)
{
    NsysExport nsys(file());
    for (const std::int64_t device : {0, 1}) {
        nsys.collective("ncclAllReduce", NsysExport::kAllReduce, 5 + device, 1'000 + 1'000 * device, 4'000,
                        {}, NsysExport::kPid, device);
    }
    const auto process = import();
    ASSERT_EQ(process.ranks.size(), 2U);
    EXPECT_EQ(process.ranks[1].device, 1);
    EXPECT_EQ(process.communicators.size(), 2U);
    EXPECT_EQ(process.communicators[0].hash, process.communicators[1].hash);
}

TEST_F(NsysFile, FilesOfSeveralHostsMeetByTheTimeOfDay)
{
    constexpr std::int64_t kStart = 1'779'782'330'000'000'000;
    NsysExport(file("a.sqlite")).host("a").sessionStart(kStart).kernel("gemm", 5, 1'000, 2'000);
    NsysExport(file("b.sqlite")).host("b").sessionStart(kStart + 500).kernel("gemm", 5, 500, 1'500);
    const trace::RunTrace run = open(folder());
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(run.processes[0].process.host, "a");
    EXPECT_EQ(run.processes[0].kernels.startNs[0], run.processes[1].kernels.startNs[0]);
    const model::Model model = model::buildModel(run);
    EXPECT_EQ(std::ranges::count(model.issues, std::string("clock_unaligned"), &trace::IssueRow::id), 1);
}

TEST_F(NsysFile, ReadsTimesThatTheExporterMadeEpochTimes)
{
    constexpr std::int64_t kStart = 1'779'782'330'000'000'000;
    NsysExport(file())
        .sessionStart(kStart)
        .kernel("gemm", 5, kStart + 1'000, kStart + 2'000)
        .execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_NORMALIZE', 'true')");
    const auto process = import();
    EXPECT_EQ(process.kernels.startNs.at(0), 1'000);
    EXPECT_EQ(process.clockSamples.at(0).realtimeNs, kStart);
}

TEST_F(NsysFile, ReportsAnUnknownVersion)
{
    NsysExport(file())
        .kernel("gemm", 5, 100, 200)
        .execute("UPDATE META_DATA_EXPORT SET value = '4.1.0' WHERE"
                 " name = 'EXPORT_SCHEMA_VERSION'");
    const auto process = import();
    EXPECT_TRUE(holds(issueOf(process, "unknown_export_version")->message, "4.1.0"));
}

} // namespace
} // namespace ringside::importers
