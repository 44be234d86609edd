// SPDX-License-Identifier: Apache-2.0
// Lines of NCCL_DEBUG=INFO about creation and end of communicators, with the words of NCCL 2.28 that tools
// search for.
#pragma once
#include "hosts.h"

#include <cstdint>

namespace ringside::nccl {

/// The split that a communicator comes from.
struct SplitLine {
    const void* parent = nullptr; ///< null: not split from another
    int count = 0;                ///< number of the parent's split
    int color = 0;
    int key = 0;
};

/// The communicator that a line is about.
struct InitLine {
    const char* function = "";
    const void* handle = nullptr;
    int rank = 0;
    int ranks = 1;
    int device = 0;
    std::uint64_t hash = 0;
    SplitLine split = {};
};

/// Writes the version once per process, and that it is emulated. With NCCL_DEBUG=VERSION or WARN only rank 0
/// writes it.
void logVersion(int rank);
/// `stage`: START or COMPLETE.
void logInit(const InitLine& line, const char* stage);
/// Writes the hosts of the ranks.
void logHosts(const InitLine& line, const Hosts& hosts);
/// Creates a communicator and writes the lines before and after.
template <class Make>
auto announced(const InitLine& line, Make&& make)
{
    logInit(line, "START");
    auto communicator = make();
    logHosts(line, communicator->hosts());
    logInit(line, "COMPLETE");
    return communicator;
}
/// `stage`: "Destroy COMPLETE", "Abort START", "Abort COMPLETE".
void logEnd(const InitLine& line, const char* stage);

} // namespace ringside::nccl
