// SPDX-License-Identifier: Apache-2.0
// The program of device_platform_test, on the CPU platform: ROUNDS times a kernel, a copy and a set, once the
// collector's trace says that the device tier is on or why it is not. Says at the end what the kernels
// computed, so that a test sees whether somebody disturbed them.
#include "../../cpu_platform/kernels.h"
#include "watch_trace.h"

#include <cuda_runtime.h>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

int main(int, char** argv)
{
    constexpr int kElements = 1000;
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
        ringside::test::launchScale(values, 1.5F, kElements, nullptr);
        cudaMemcpyAsync(scratch, values, kElements * sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
        cudaMemsetAsync(scratch, 0, 64, nullptr);
    }
    cudaStreamSynchronize(cudaStreamPerThread); // the collector asks CUDA whose stream that is
    if (cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    std::printf("computed %g, last error %d\n", static_cast<double>(first), cudaGetLastError());
    return 0;
}
