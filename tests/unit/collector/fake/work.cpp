// SPDX-License-Identifier: Apache-2.0
// The program of device_platform_test, on the CPU platform: ROUNDS times a kernel, a copy and a set, once the
// collector's trace says that the device tier is on or why it is not. Says at the end what the kernels
// computed, so that a test sees whether somebody disturbed them.
#include "../../cpu_platform/kernels.h"

#include <cuda_runtime.h>
#include <sqlite3.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

bool decided(const std::string& database)
{
    sqlite3* connection = nullptr;
    sqlite3_stmt* query = nullptr;
    sqlite3_open_v2(database.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_prepare_v2(
        connection,
        "SELECT 1 FROM tier WHERE tier = 'device' AND (active OR reason NOT LIKE '%not reached%')", -1,
        &query, nullptr);
    const bool is = query != nullptr && sqlite3_step(query) == SQLITE_ROW;
    sqlite3_finalize(query);
    sqlite3_close(connection);
    return is;
}

bool anyDecided(const std::string& directory)
{
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".db" && decided(entry.path().string()))
            return true;
    return false;
}

// In a process of its own: SQLite's file locks are one process's, and closing a file would drop the
// collector's.
pid_t watchTheTrace()
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    const char* directory = std::getenv("RINGSIDE_DIR");
    constexpr int kTries = 1000;
    for (int i = 0; directory != nullptr && i < kTries; ++i) {
        usleep(20'000);
        if (anyDecided(directory))
            _exit(0);
    }
    _exit(1);
}

} // namespace

int main(int, char** argv)
{
    constexpr int kElements = 1000;
    const int rounds = std::atoi(argv[1]);
    const pid_t watcher = watchTheTrace();
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
