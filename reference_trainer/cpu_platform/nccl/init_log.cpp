// SPDX-License-Identifier: Apache-2.0
#include "init_log.h"

#include "debug_log.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <string>

namespace ringside::nccl {
namespace {

/// Returns the digits of the PCI bus id as one hexadecimal number, as NCCL prints it.
unsigned long busId(int device)
{
    std::array<char, 32> text{};
    if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) != cudaSuccess)
        return 0;
    std::string digits = text.data();
    std::erase_if(digits, [](char letter) { return letter == ':' || letter == '.'; });
    return std::strtoul(digits.c_str(), nullptr, 16);
}

void logSplit(const InitLine& line, const char* stage)
{
    // The real library omits the blank before the dash at the start.
    const char* const blank = std::string(stage) == "START" ? "" : " ";
    RINGSIDE_NCCL_INFO(kLogInit,
                       "%s comm %p rank %d nranks %d cudaDev %d nvmlDev %d busId %lx parent %p splitCount %d "
                       "color %d key %d%s- Init %s",
                       line.function, line.handle, line.rank, line.ranks, line.device, line.device,
                       busId(line.device), line.split.parent, line.split.count, line.split.color,
                       line.split.key, blank, stage);
}

} // namespace

void logVersion(int rank)
{
    static std::once_flag once;
    const bool wanted =
        debugLogs(LogLevel::Info, kLogAll) || (rank == 0 && debugLogs(LogLevel::Version, kLogAll));
    if (!wanted)
        return;
    std::call_once(once, [] {
        const LogLevel level = debugLogs(LogLevel::Info, kLogAll) ? LogLevel::Info : LogLevel::Version;
        debugLog(level, kLogAll, __func__, __LINE__,
                 "NCCL version %d.%d.%d+cuda%d.%d (emulated by Ringside's CPU platform)", NCCL_MAJOR,
                 NCCL_MINOR, NCCL_PATCH, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    });
}

void logInit(const InitLine& line, const char* stage)
{
    if (!debugLogs(LogLevel::Info, kLogInit))
        return;
    if (line.split.parent != nullptr)
        return logSplit(line, stage);
    RINGSIDE_NCCL_INFO(kLogInit,
                       "%s comm %p rank %d nranks %d cudaDev %d nvmlDev %d busId %lx commId 0x%llx - Init %s",
                       line.function, line.handle, line.rank, line.ranks, line.device, line.device,
                       busId(line.device), static_cast<unsigned long long>(line.hash), stage);
}

void logHosts(const InitLine& line, const Hosts& hosts)
{
    RINGSIDE_NCCL_INFO(kLogInit, "Using network Socket (emulated by Gloo's TCP transport)");
    RINGSIDE_NCCL_INFO(kLogInit, "comm %p rank %d nRanks %d nNodes %d localRanks %d localRank %d MNNVL 0",
                       line.handle, line.rank, line.ranks, hosts.nodes, hosts.localRanks, hosts.localRank);
}

void logEnd(const InitLine& line, const char* stage)
{
    // NCCL uses both spellings.
    const char* const ranks = std::string(stage) == "Abort START" ? "nRanks" : "nranks";
    RINGSIDE_NCCL_INFO(kLogInit, "comm %p rank %d %s %d cudaDev %d busId %lx - %s", line.handle, line.rank,
                       ranks, line.ranks, line.device, busId(line.device), stage);
}

} // namespace ringside::nccl
