// SPDX-License-Identifier: Apache-2.0
// One rank that all-reduces some rounds and checks the sums: the load of the test with network namespaces.
// Usage: nccl_all_reduce_rank RANK SIZE ID_FILE FLOATS ROUNDS. Rank 0 makes the unique id and writes it to
// ID_FILE.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void succeed(ncclResult_t result, const char* what)
{
    if (result != ncclSuccess)
        throw std::runtime_error(std::string(what) + ": " + ncclGetLastError(nullptr));
}

ncclUniqueId shareId(int rank, const std::string& path)
{
    ncclUniqueId id{};
    if (rank == 0) {
        succeed(ncclGetUniqueId(&id), "ncclGetUniqueId");
        std::ofstream(path + ".new", std::ios::binary).write(id.internal, sizeof id.internal);
        if (std::rename((path + ".new").c_str(), path.c_str()) != 0)
            throw std::runtime_error("cannot write " + path);
        return id;
    }
    for (int attempt = 0; attempt < 1000; ++attempt) {
        std::ifstream file(path, std::ios::binary);
        if (file.read(id.internal, sizeof id.internal))
            return id;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("no unique id in " + path);
}

void run(int rank, int size, const std::string& idFile, std::size_t floats, int rounds)
{
    ncclComm_t comm = nullptr;
    succeed(ncclCommInitRank(&comm, size, shareId(rank, idFile), rank), "ncclCommInitRank");
    std::vector<float> data(floats);
    for (int round = 0; round < rounds; ++round) {
        data.assign(floats, static_cast<float>(rank + round));
        succeed(ncclAllReduce(data.data(), data.data(), floats, ncclFloat32, ncclSum, comm, nullptr),
                "ncclAllReduce");
        if (cudaStreamSynchronize(nullptr) != cudaSuccess)
            throw std::runtime_error("cudaStreamSynchronize failed");
        const int sumOfRanks = size * (size - 1) / 2;
        const auto expected = static_cast<float>(sumOfRanks + size * round);
        if (data != std::vector<float>(floats, expected))
            throw std::runtime_error("wrong sum in round " + std::to_string(round));
    }
    succeed(ncclCommDestroy(comm), "ncclCommDestroy");
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 6) {
        std::fprintf(stderr, "usage: %s RANK SIZE ID_FILE FLOATS ROUNDS\n", argv[0]);
        return 2;
    }
    try {
        run(std::stoi(argv[1]), std::stoi(argv[2]), argv[3], std::stoul(argv[4]), std::stoi(argv[5]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %s: %s\n", argv[1], error.what());
        return 1;
    }
    return 0;
}
