// SPDX-License-Identifier: Apache-2.0
// Files of the PyTorch profiler on AMD's GPUs: HIP's names of functions, RCCL's of kernels.
#include "kineto_file.h"
#include "trace/vocabulary/api_name.h"
#include "trace/vocabulary/host_words.h"

namespace ringside::importers {
namespace {

constexpr const char* kGeneric = "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)";
constexpr const char* kDevices =
    R"(, "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X", "totalGlobalMem": 206141652992, )"
    R"("computeMajor": 9, "computeMinor": 4, "numSms": 304}], "roctracer_version": 4.1, "hip_runtime_version": 71326183)";

/// Two ranks that train for six steps. The host waits at the end of each.
std::string amdFile(int rank, int lateUs)
{
    Events events;
    for (int step = 0; step < 6; ++step) {
        const int at = step * 1000;
        const int id = step * 10;
        const auto launch = [&](const char* api, int correlation, int start) {
            events.complete("cuda_runtime", api, std::to_string(at + start), "6",
                            fmt::format(R"("cid": 107, "correlation": {})", id + correlation));
        };
        const auto work = [&](const char* name, int correlation, int start, int duration, int stream) {
            events.complete(
                "kernel", name, std::to_string(at + start + lateUs), std::to_string(duration),
                fmt::format(R"("device": 0, "stream": {}, "correlation": {}, "kind": "Dispatch Kernel")",
                            stream, id + correlation),
                stream, 0);
        };
        events.step(step, at, 950);
        launch("hipExtModuleLaunchKernel", 1, 10);
        work("Cijk_Alik_Bljk_BBS_BH", 1, 30, 200, 0);
        launch("hipMemcpyWithStream", 2, 20);
        events.complete(
            "gpu_memcpy", "Memcpy HtoD (Host -> Device)", std::to_string(at + 232 + lateUs), "4",
            fmt::format(R"("device": 0, "stream": 0, "correlation": {}, "kind": "HtoD", "bytes": 616)",
                        id + 2),
            0, 0);
        events.complete("cpu_op", "record_param_comms", std::to_string(at + 290), "40",
                        ncclArguments("allreduce", 1000, fmt::format(", \"Seq\": {}", step)));
        launch("hipExtLaunchKernel", 3, 300);
        events.complete(
            "kernel", kGeneric, std::to_string(at + 320 + lateUs), std::to_string(200 - lateUs),
            fmt::format(R"("device": 0, "stream": 4, "correlation": {}, "kind": "Dispatch Kernel")", id + 3),
            4, 0);
        events.complete("cuda_runtime", "hipDeviceSynchronize", std::to_string(at + 350), "500",
                        "\"cid\": 48");
    }
    return fileText(events, ofRank(rank, 1'700'000'000'000'000), kDevices);
}

TEST(HipNames, AreCudasInOtherLetters)
{
    EXPECT_EQ(trace::inCudasWords("hipStreamWaitEvent"), "cudaStreamWaitEvent");
    EXPECT_EQ(trace::inCudasWords("hipHostMalloc"), "cudaMallocHost");
    EXPECT_EQ(trace::inCudasWords("cuLaunchKernel"), "cuLaunchKernel");
    for (const char* api : {"hipDeviceSynchronize", "hipStreamSynchronize", "hipMemcpy",
                            "hipMemcpyWithStream", "hipMemcpyDtoH", "hipMemcpy_spt", "cudaMemcpy_ptds"}) {
        EXPECT_TRUE(trace::isBlockingCall(api)) << api;
    }
    for (const char* api : {"hipMemcpyAsync", "hipMemcpyDtoHAsync", "hipLaunchKernel", "hipEventRecord"}) {
        EXPECT_FALSE(trace::isBlockingCall(api)) << api;
    }
    for (const char* api : {"hipLaunchKernel", "hipExtLaunchKernel", "hipExtModuleLaunchKernel",
                            "hipModuleLaunchKernel", "hipGraphLaunch", "hipMemcpyAsync", "hipMemsetAsync"}) {
        EXPECT_TRUE(trace::launchesDeviceWork(api)) << api;
    }
    EXPECT_FALSE(trace::launchesDeviceWork("hipLaunchHostFunc"));
    EXPECT_FALSE(trace::launchesDeviceWork("hipGetDevicePropertiesR0600"));
}

TEST_F(KinetoFile, AmdsTracesHaveCollectivesLaunchesAndNamedDevices)
{
    write("rank0.json", amdFile(0, 0));
    write("rank1.json", amdFile(1, 60));
    const trace::RunTrace run = open(folder());
    ASSERT_EQ(run.processes.size(), 2U);
    const trace::ProcessTrace& process = run.processes[1];
    EXPECT_EQ(process.launches.size(), 18U);
    ASSERT_EQ(process.collectiveCalls.size(), 6U);
    EXPECT_EQ(process.text(process.collectiveCalls[0].api), "ncclAllReduce");
    EXPECT_EQ(process.collectiveCalls[0].bytes, 4000U);
    ASSERT_EQ(process.devices.size(), 1U);
    EXPECT_EQ(process.devices[0].name, "AMD Instinct MI300X");
    ASSERT_EQ(process.copies.size(), 6U);
    EXPECT_EQ(process.copies.kind[0], 1U);
    const model::Model model = model::buildModel(run);
    EXPECT_EQ(model.operations.size(), 6U);
}

/// Older versions write the bytes of a copy only into the arguments of its call, as a text.
TEST_F(KinetoFile, AmdsCopiesTakeTheBytesOfTheirCall)
{
    Events events;
    events.complete("cuda_runtime", "hipMemcpyAsync", "10", "6",
                    R"("correlation": 4, "bytes": "128", "kind": "3")");
    events.complete("gpu_memcpy", "Memcpy DtoD (Device -> Device)", "20", "4",
                    R"("device": 2, "stream": 0, "correlation": 4, "kind": "DtoD")", 0, 2);
    const auto process = import(fileText(events));
    ASSERT_EQ(process.copies.size(), 1U);
    EXPECT_EQ(process.copies.bytes[0], 128U);
}

/// The same findings as of a trace of CUDA: the calls in which the host waits are known by HIP's names.
TEST_F(KinetoFile, AmdsTracesAreJudgedAsCudasAre)
{
    write("rank0.json", amdFile(0, 0));
    write("rank1.json", amdFile(1, 60));
    const std::string text = textOf(report::buildReport(open(folder()), {}), "text");
    EXPECT_NE(text.find("hipDeviceSynchronize"), std::string::npos) << text;
    EXPECT_NE(text.find("late_rank"), std::string::npos) << text;
}

} // namespace
} // namespace ringside::importers
