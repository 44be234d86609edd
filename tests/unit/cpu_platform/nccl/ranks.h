// SPDX-License-Identifier: Apache-2.0
// Runs a function as several ranks, each in a process of its own: the test process itself never touches the
// runtime, so that it can fork again. A rank fails by exception; the test then fails with every rank's
// message.
#pragma once
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringside::test {

struct Rank {
    int rank = 0;
    int size = 0;
    ncclUniqueId id{};         ///< the same on all ranks
    ncclComm_t comm = nullptr; ///< null where the ranks were started without one
    cudaStream_t stream = nullptr;
    std::atomic<int>* meetings = nullptr; ///< shared by all ranks

    /// Returns when everything queued on the stream is done.
    void synchronise() const;
    /// Returns when every rank has called it as often: order without NCCL and without guessing at times.
    void meet() const;
};

enum class Communicator : std::uint8_t { Connected, None };

/// How one rank's process ended.
struct Ending {
    int exitCode = -1; ///< 0: body returned; 1: it threw; -1: killed by a signal
    std::string message;
};

/// Runs `body` in `size` processes and returns how they ended. Processes that live longer than 60 s are
/// killed.
std::vector<Ending> startRanks(int size, Communicator communicator, const std::function<void(Rank&)>& body);
/// False with the message of every rank that did not end well.
[[nodiscard]] testing::AssertionResult allEndedWell(const std::vector<Ending>& endings);
/// startRanks with communicators: whether all ended well.
[[nodiscard]] testing::AssertionResult ranksEndWell(int size, const std::function<void(Rank&)>& body);

inline void check(bool condition, const std::string& message)
{
    if (!condition)
        throw std::runtime_error(message);
}

inline void succeed(ncclResult_t result, const std::string& what)
{
    check(result == ncclSuccess, what + ": " + ncclGetErrorString(result) + ": " + ncclGetLastError(nullptr));
}

} // namespace ringside::test
