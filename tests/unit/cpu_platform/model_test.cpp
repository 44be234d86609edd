// SPDX-License-Identifier: Apache-2.0
// The device model: no work is shorter than the file declares. How much longer it gets is the machine's
// affair, and measured by tests/bench/platform_cost. Run with RINGSIDE_DEVICE_MODEL=model_test.conf.
#include "kernels.h"
#include "platform.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

using namespace ringside::test;

// Milliseconds of device time that `work` takes on a stream, by events.
template <class Work>
double deviceMs(Work&& work)
{
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    cudaStreamCreate(&stream);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, stream);
    work(stream);
    cudaEventRecord(end, stream);
    EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
    float ms = 0;
    EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaSuccess);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
    return ms;
}

struct DeviceBuffer {
    DeviceBuffer() { cudaMalloc(&data, kCount * sizeof(float)); }
    ~DeviceBuffer() { cudaFree(data); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    static constexpr int kCount = 1 << 18;
    float* data = nullptr;
};

// Runs this program again for one test with other settings, and returns its exit status.
int runAgain(const std::string& environment, const std::string& filter)
{
    const std::string command = environment + " /proc/" + std::to_string(getpid()) +
                                "/exe --gtest_also_run_disabled_tests --gtest_filter=" + filter +
                                " >/dev/null 2>&1";
    return std::system(command.c_str());
}

TEST(DeviceModel, kernelsTakeTheTimeTheirOperationsTake)
{
    // 20,480 elements x 1000 operations at 1e9/s = 20.48 ms
    const DeviceBuffer buffer;
    const double ms = deviceMs([&](cudaStream_t stream) { launchScale(buffer.data, 1, 20'480, stream); });
    EXPECT_GE(ms, 20.48);
}

TEST(DeviceModel, aChainOfShortKernelsSumsToTheModelledTime)
{
    // 200 kernels x 256 elements x 1000 / 1e9 = 0.256 ms each.
    const DeviceBuffer buffer;
    const double ms = deviceMs([&](cudaStream_t stream) {
        for (int i = 0; i < 200; ++i)
            launchScale(buffer.data, 1, 256, stream);
    });
    EXPECT_GE(ms, 51.2);
}

TEST(DeviceModel, copiesTakeTheTimeTheirBytesTake)
{
    // 1 MiB at 1e8 B/s
    const DeviceBuffer buffer;
    void* pinned = nullptr;
    cudaMallocHost(&pinned, 1 << 20);
    const double ms = deviceMs([&](cudaStream_t stream) {
        cudaMemcpyAsync(buffer.data, pinned, 1 << 20, cudaMemcpyHostToDevice, stream);
    });
    EXPECT_GE(ms, 10.48);
    cudaFreeHost(pinned);
}

TEST(DeviceModel, answersOtherLibrariesQuestions)
{
    EXPECT_EQ(ringside_platform_model_number("link_bandwidth", 1), 5e8);
    EXPECT_EQ(ringside_platform_model_number("no_such_key", 7), 7);
}

TEST(DeviceModel, namesADeviceWithFasterHalfProductsOneWithTensorCores)
{
    cudaDeviceProp properties{};
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_STREQ(properties.name, "Ringside emulated GPU with tensor cores (CPU platform)");
}

TEST(DeviceModel, aSlowDeviceTakesItsFactorLonger)
{
    EXPECT_EQ(runAgain("RINGSIDE_DEVICE_SLOWDOWN=1.5", "DeviceModel.DISABLED_isSlowedDownByHalf"), 0);
}

TEST(DeviceModel, DISABLED_isSlowedDownByHalf)
{
    const DeviceBuffer buffer;
    const double ms = deviceMs([&](cudaStream_t stream) { launchScale(buffer.data, 1, 20'480, stream); });
    EXPECT_GE(ms, 30.72);
}

// Throttled by 3 for the whole of the test; NVML and others are told so.
TEST(DeviceModel, aThrottledDeviceTakesItsFactorLonger)
{
    EXPECT_EQ(runAgain("RINGSIDE_DEVICE_MODEL=" RINGSIDE_THROTTLED_MODEL, "DeviceModel.DISABLED_isThrottled"),
              0);
    EXPECT_EQ(ringside_platform_throttle_factor(), 1);
}

TEST(DeviceModel, DISABLED_isThrottled)
{
    const DeviceBuffer buffer;
    const double ms = deviceMs([&](cudaStream_t stream) { launchScale(buffer.data, 1, 20'480, stream); });
    EXPECT_GE(ms, 3 * 20.48);
    EXPECT_EQ(ringside_platform_throttle_factor(), 3);
}

TEST(DeviceModel, aBadFileIsAnInitializationError)
{
    EXPECT_EQ(runAgain("RINGSIDE_DEVICE_MODEL=/no/such/file", "DeviceModel.DISABLED_refusesEveryCall"), 0);
    EXPECT_EQ(runAgain("RINGSIDE_DEVICE_SLOWDOWN=fast", "DeviceModel.DISABLED_refusesEveryCall"), 0);
}

TEST(DeviceModel, DISABLED_refusesEveryCall)
{
    void* memory = nullptr;
    int count = 0;
    testing::internal::CaptureStderr();
    EXPECT_EQ(cudaMalloc(&memory, 1), cudaErrorInitializationError);
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInitializationError);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("RINGSIDE_DEVICE_"), std::string::npos);
}

TEST(Process, aForkedChildGetsErrorsAndDoesNotHang)
{
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const pid_t child = fork();
    if (child == 0) {
        void* memory = nullptr;
        alarm(10);
        _exit(cudaMalloc(&memory, 1) == cudaErrorInitializationError &&
                      cudaDeviceSynchronize() == cudaErrorInitializationError
                  ? 0
                  : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(Process, exitsWhileStreamsAreBusy)
{
    EXPECT_EQ(runAgain("timeout 20", "Process.DISABLED_leavesABusyStream"), 0);
}

TEST(Process, DISABLED_leavesABusyStream)
{
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    static const DeviceBuffer* leaked = new DeviceBuffer;
    launchScale(leaked->data, 1, 10'240, stream);
    cudaStreamSynchronize(stream); // the thread is at work from here on
    for (int i = 0; i < 1000; ++i)
        launchScale(leaked->data, 1, 10'240, stream);
    cudaLaunchHostFunc(
        stream, [](void*) { pause(); }, nullptr);
}

} // namespace
