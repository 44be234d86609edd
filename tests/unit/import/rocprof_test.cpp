// SPDX-License-Identifier: Apache-2.0
// Files of rocprofv3: what becomes of their records, and what damage costs. The form is that of the schema
// that ROCprofiler-SDK publishes.
#include "kineto_file.h"
#include "rocprof_file.h"

namespace ringside::importers {
namespace {

using test::RocprofFile;

class Rocprof : public KinetoFile {
protected:
    trace::ProcessTrace read(const std::string& text)
    {
        trace::RunTrace run = open(write("7_results.json", text));
        return std::move(run.processes.front());
    }
};

TEST_F(Rocprof, RecordsBecomeKernelsCopiesCallsAndRanges)
{
    RocprofFile file(4242);
    file.call("hipLaunchKernel", 1, 1000, 1010).dispatch("gemm", 1, 1020, 1500, 5);
    file.call("hipMemcpyAsync", 2, 1600, 1610).copy("MEMORY_COPY_HOST_TO_DEVICE", 2, 1700, 1800, 4096);
    file.marker("iteration 3", 9, 900, 2000);
    const auto process = read(file.text());
    EXPECT_EQ(process.process.host, "node1");
    EXPECT_EQ(process.process.pid, 4242);
    ASSERT_EQ(process.kernels.size(), 1U);
    EXPECT_EQ(process.text(process.kernels.name[0]), "gemm");
    EXPECT_EQ(process.kernels.startNs[0], 1020) << "times of CLOCK_MONOTONIC stay";
    EXPECT_EQ(process.kernels.device[0], 0U) << "the CPU is an agent, too";
    EXPECT_EQ(process.kernels.stream[0], 5U);
    ASSERT_EQ(process.copies.size(), 1U);
    EXPECT_EQ(process.copies.kind[0], 1U);
    EXPECT_EQ(process.copies.bytes[0], 4096U);
    EXPECT_EQ(process.apiCalls.size(), 2U);
    EXPECT_EQ(process.launches.size(), 2U);
    ASSERT_EQ(process.ranges.size(), 1U);
    EXPECT_EQ(process.text(process.ranges[0].name), "iteration 3");
    ASSERT_EQ(process.devices.size(), 1U);
    EXPECT_EQ(process.devices[0].name, "AMD Instinct MI350X");
    EXPECT_EQ(process.devices[0].multiprocessors, 256);
}

TEST_F(Rocprof, CallsOfRcclNameTheCollectivesOfTheirKernels)
{
    RocprofFile file(4242);
    file.communication("ncclAllReduce", 1, 1000, 1100).call("hipExtLaunchKernel", 2, 1020, 1040);
    file.dispatch("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", 2, 1200, 1500, 6);
    const auto process = read(file.text());
    ASSERT_EQ(process.collectiveCalls.size(), 1U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAllReduce");
    EXPECT_NE(issueOf(process, "message_sizes_missing"), nullptr);
}

/// Processes of a host have one clock, so that they can be compared without the time of day.
TEST_F(Rocprof, ProcessesOfAHostAreRanksOnOneClock)
{
    for (int rank = 0; rank < 2; ++rank) {
        RocprofFile file(100 + rank);
        for (std::uint64_t step = 0; step < 6; ++step) {
            const std::uint64_t at = 1'000'000 + step * 100'000 + static_cast<std::uint64_t>(rank) * 500;
            file.communication("ncclAllReduce", 10 * step + 1, at, at + 900);
            file.call("hipExtLaunchKernel", 10 * step + 2, at + 20, at + 40);
            file.dispatch("ncclDevKernel_Generic_1", 10 * step + 2, at + 2000, 1'020'000 + step * 100'000, 6);
        }
        write(std::to_string(100 + rank) + "_results.json", file.text());
    }
    const trace::RunTrace run = open(folder());
    ASSERT_EQ(run.processes.size(), 2U);
    EXPECT_EQ(run.processes[1].kernels.startNs[0] - run.processes[0].kernels.startNs[0], 500);
    EXPECT_EQ(model::buildModel(run).operations.size(), 6U);
}

TEST_F(Rocprof, IdsThatReferToNothingAreCounted)
{
    RocprofFile file(1);
    file.dispatch("gemm", 1, 10, 20, 5).call("", 2, 30, 40).copy("", 3, 50, 60, 1);
    file.record("kernel_dispatch", R"({"kind": 3, "operation": 1, "start_timestamp": 1, "end_timestamp": 2, )"
                                   R"("dispatch_info": {"agent_id": {"handle": 999}, "kernel_id": 1}})");
    file.record("hip_api", R"({"kind": 77, "operation": 1, "start_timestamp": 1, "end_timestamp": 2})");
    file.record("hip_api", R"({"kind": "x"})");
    file.record("hsa_api", R"({"kind": 0, "operation": 0, "start_timestamp": 1, "end_timestamp": 2})");
    file.record("hip_api", R"({"kind": 1, "operation": 0, "start_timestamp": 5, "end_timestamp": 2})");
    const auto process = read(file.text());
    EXPECT_EQ(process.kernels.size(), 1U);
    ASSERT_NE(issueOf(process, "names_missing"), nullptr);
    EXPECT_EQ(issueOf(process, "names_missing")->count, 4) << "two refer to nothing, two to an empty name";
    ASSERT_NE(issueOf(process, "damaged_event"), nullptr);
    EXPECT_NE(issueOf(process, "events_left_out"), nullptr);
    EXPECT_NE(issueOf(process, "implausible_time"), nullptr);
}

TEST_F(Rocprof, AFileMayBreakOffAnywhere)
{
    RocprofFile file(1);
    file.call("hipLaunchKernel", 1, 1000, 1010).dispatch("gemm", 1, 1020, 1500, 5);
    const std::string whole = file.text();
    const Importer& importer = **std::ranges::find(all(), std::string_view("rocprof"), &Importer::id);
    for (std::size_t length = 1; length + 1 < whole.size(); length += 5) {
        const auto path = write("7_results.json", whole.substr(0, length));
        Progress progress;
        try {
            const auto processes = importer.import({path, 1, progress});
            EXPECT_NE(issueOf(processes.front(), "truncated_file"), nullptr) << length;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("holds no process"), std::string::npos);
        }
    }
}

TEST_F(Rocprof, DeepNestingIsRefused)
{
    const std::string deep(100, '[');
    EXPECT_THROW(static_cast<void>(read(R"({"rocprofiler-sdk-tool": )" + deep)), Error);
}

} // namespace
} // namespace ringside::importers
