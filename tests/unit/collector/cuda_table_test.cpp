// SPDX-License-Identifier: Apache-2.0
// Rows of the CUDA table that do more than hand a size on: their calls reach the runtime unchanged, and the
// trace has their bytes, direction and stream.
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace ringside;
using ringside::test::RecordedRun;

namespace {

std::vector<std::string> callsOf(const trace::ProcessTrace& trace)
{
    std::vector<std::string> calls;
    const trace::ApiCallColumns& columns = trace.apiCalls;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool hasKind = columns.copyKind[i] != 0xFFFFFFFF;
        calls.push_back(fmt::format("{}: {} bytes, kind {}, stream {}", trace.text(columns.api[i]),
                                    columns.bytes[i], hasKind ? std::to_string(columns.copyKind[i]) : "none",
                                    columns.stream[i]));
    }
    return calls;
}

TEST(CudaTable, recordsWhatTheArgumentsSay)
{
    const RecordedRun run({"recorded_copies"});
    EXPECT_EQ(run.waitStatus, 0) << run.output;
    const trace::RunTrace trace = trace::openRun(run.directory());
    ASSERT_EQ(trace.processes.size(), 1U);
    const std::vector<std::string> expected = {
        "cudaMemcpy3DAsync: 30 bytes, kind 1, stream 1",
        "cudaMemcpy3DAsync: 0 bytes, kind 1, stream 1", // an array's elements may have any size
        "cudaMemcpy3DPeer: 1000 bytes, kind 3, stream 0",
        "cudaMemset3D: 1001 bytes, kind none, stream 0",
        "cudaMemcpyToSymbol: 17 bytes, kind 1, stream 0",
        "cudaMemPrefetchAsync: 19 bytes, kind none, stream 0",
        "cudaMemPrefetchAsync_ptsz: 23 bytes, kind none, stream 0",
        "cudaStreamWaitEvent: 0 bytes, kind none, stream 1"};
    EXPECT_EQ(callsOf(trace.processes[0]), expected);
}

TEST(CudaTable, theRuntimeGetsWhatTheProgramPassed)
{
    const RecordedRun without({"recorded_copies"}, RecordedRun::Collector::Absent);
    EXPECT_NE(without.output.find("prefetch: 23 to 1 2, flags 3, stream 0x1005"), std::string::npos);
    EXPECT_EQ(RecordedRun({"recorded_copies"}).output, without.output);
}

} // namespace
