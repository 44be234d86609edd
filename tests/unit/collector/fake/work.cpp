// SPDX-License-Identifier: Apache-2.0
// The program of device_platform_test, on the CPU platform: a kernel, a copy and a set, ROUNDS times, once
// the collector's trace contains that the device tier is on or why it is not. Prints at the end what the
// kernels computed, so that the test notices interference. With "threads", each round has its own thread,
// which may get the pthread_t of an ended one.
#include "../../cpu_platform/kernels.h"
#include "platform.h"
#include "watch_trace.h"

#include <cuda_runtime.h>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr int kElements = 1000;

void work(float* values, float* scratch)
{
    ringside::test::launchScale(values, 1.5F, kElements, nullptr);
    cudaMemcpyAsync(scratch, values, kElements * sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
    cudaMemsetAsync(scratch, 0, 64, nullptr);
}

} // namespace

int main(int argc, char** argv)
{
    const int rounds = std::atoi(argv[1]);
    const pid_t watcher = ringside::test::watchTheTrace();
    float* values = nullptr;
    float* scratch = nullptr;
    if (cudaMalloc(&values, kElements * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&scratch, kElements * sizeof(float)) != cudaSuccess)
        return 1;
    int status = 0;
    if (waitpid(watcher, &status, 0) != watcher || status != 0)
        return 2;
    float first = 1;
    cudaMemcpy(values, &first, sizeof first, cudaMemcpyHostToDevice);
    cudaStreamQuery(nullptr);
    for (int round = 0; round < rounds; ++round) {
        if (argc > 2)
            std::thread(work, values, scratch).join();
        else
            work(values, scratch);
    }
    float* elsewhere = nullptr; // on the other device
    cudaSetDevice(1);
    cudaMalloc(&elsewhere, kElements * sizeof(float));
    cudaSetDevice(0);
    cudaMemcpyPeerAsync(elsewhere, 1, values, 0, kElements * sizeof(float), nullptr);
    cudaStreamSynchronize(cudaStreamPerThread); // the collector asks CUDA whose stream that is
    if (cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    if (std::getenv("DRIVER_ENDS_FIRST") != nullptr)
        std::atexit(ringside_platform_tear_down); // no handler comes later than this
    std::printf("computed %g, last error %d\n", static_cast<double>(first), cudaGetLastError());
    return 0;
}
