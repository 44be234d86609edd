// SPDX-License-Identifier: Apache-2.0
// The lines of NCCL_DEBUG=INFO about communicators' lives, in NCCL 2.28's words where tools look for them.
#pragma once
#include "hosts.h"

#include <cstdint>

namespace ringside::nccl {

/// Which part of a split a communicator is.
struct SplitLine {
    const void* parent = nullptr; ///< null: not split from another
    int count = 0;                ///< the parent's how-manieth split
    int color = 0;
    int key = 0;
};

/// Who a line is about.
struct InitLine {
    const char* function = "";
    const void* handle = nullptr;
    int rank = 0;
    int ranks = 1;
    int device = 0;
    std::uint64_t hash = 0;
    SplitLine split = {};
};

/// Once a process: which NCCL this is, and that it is emulated. With NCCL_DEBUG=VERSION or WARN on rank 0
/// only.
void logVersion(int rank);
/// `stage`: START or COMPLETE.
void logInit(const InitLine& line, const char* stage);
/// Where the ranks are.
void logHosts(const InitLine& line, const Hosts& hosts);
/// Makes a communicator, with the lines before and after.
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
