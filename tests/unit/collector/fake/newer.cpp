// SPDX-License-Identifier: Apache-2.0
// The program of newer_nccl_test: uses functions that were added to NCCL after 2.19, named communicators, and
// functions that its NCCL lacks. One scenario per argument.
#include "api.h"

#include <dlfcn.h>

#include <cstdio>
#include <string_view>

using ringside::test::communicator;

namespace {

using Config = ringside::collector::abi::CommunicatorConfigPrefix;

ncclConfig_t* in(Config& config)
{
    return reinterpret_cast<ncclConfig_t*>(&config);
}

ncclComm_t initialized(Config config)
{
    ncclComm_t comm = nullptr;
    ncclCommInitRankConfig(&comm, 8, {}, 3, in(config));
    return comm;
}

int names()
{
    Config config{sizeof(Config), Config::kMagic, 22703, 1, 0, 0, 0, nullptr, 0, 0, "data parallel"};
    ncclComm_t comm = initialized(config);
    config.commName = "pipeline";
    ncclComm_t child = nullptr;
    ncclCommSplit(comm, 1, 0, &child, in(config));
    ncclCommSplit(comm, 2, 0, &child, nullptr);
    config.commName = reinterpret_cast<const char*>(1); // what lies behind an older program's structure
    config.size = sizeof(Config) - sizeof config.commName;
    initialized(config);
    config.size = sizeof(Config);
    config.magic = 0;
    initialized(config);
    return 0;
}

int grows()
{
    ncclComm_t comm = communicator();
    ncclComm_t grown = nullptr;
    ncclComm_t joined = nullptr;
    const ncclUniqueId id{};
    ncclCommGrow(comm, 16, nullptr, -1, &grown, nullptr);
    ncclCommGrow(nullptr, 16, &id, 12, &joined, nullptr);
    ncclCommRevoke(comm, 0);
    return 0;
}

int oneSided()
{
    ncclComm_t comm = communicator();
    ncclWaitSignalDesc_t waits[2] = {{1, 6, 0, 0}, {1, 7, 0, 0}};
    const auto* anything = reinterpret_cast<const ncclCollConfig_t*>(waits);
    ncclPutSignal(nullptr, 100, ncclFloat32, 5, nullptr, 0, 0, 0, 0, comm, nullptr);
    ncclSignal(4, 0, 0, 0, comm, nullptr);
    ncclWaitSignal(1, waits, comm, nullptr);
    ncclWaitSignal(2, waits, comm, nullptr);
    ncclWaitSignal(1, nullptr, comm, nullptr);
    const int result =
        ncclAllReduceConfig(nullptr, nullptr, 7, ncclFloat32, ncclSum, comm, nullptr, anything);
    std::printf("configured: %d\n", result);
    return 0;
}

// One call leaves everything to NCCL, one asks for all that NCCL 2.32 offers, one is a program's of
// NCCL 2.31.
int configures()
{
    using CallConfig = ringside::collector::abi::CallConfigPrefix;
    constexpr int kUnset = CallConfig::kUnset;
    ncclComm_t comm = communicator();
    const auto call = [&](const CallConfig& config) {
        ncclAllReduceConfig(nullptr, nullptr, 7, ncclFloat32, ncclSum, comm, nullptr,
                            reinterpret_cast<const ncclCollConfig_t*>(&config));
    };
    CallConfig config{sizeof(CallConfig),
                      Config::kMagic,
                      23203,
                      nullptr,
                      kUnset,
                      kUnset,
                      kUnset,
                      kUnset,
                      nullptr,
                      1,
                      kUnset,
                      0,
                      nullptr};
    call(config);
    config = {sizeof(CallConfig),
              Config::kMagic,
              23203,
              nullptr,
              2,
              8,
              4,
              1,
              "RING_SIMPLE,TREE_LL",
              0,
              2,
              42,
              reinterpret_cast<cudaEvent_t>(&config)};
    call(config);
    config.size = offsetof(CallConfig, launchCompletionEvent);
    config.algSelection = nullptr;
    config.minCTAs = config.nvlsCTAs = config.cgaClusterSize = config.CTAPolicy = kUnset;
    call(config);
    config.magic = 0; // no configuration
    call(config);
    return 0;
}

// What a program finds that asks whether its NCCL can do something.
int probes()
{
    const auto found = [](void* handle, const char* name) { return dlsym(handle, name) != nullptr ? 1 : 0; };
    void* library = dlopen("libnccl.so.2", RTLD_NOLOAD | RTLD_LAZY);
    std::printf("library: suspend %d, grow %d\n", found(library, "ncclCommSuspend"),
                found(library, "ncclCommGrow"));
    std::printf("process: suspend %d, version %d\n", found(RTLD_DEFAULT, "ncclCommSuspend"),
                found(RTLD_DEFAULT, "ncclGetVersion"));
    if (auto* suspend = reinterpret_cast<int (*)(ncclComm_t, int)>(dlsym(RTLD_DEFAULT, "ncclCommSuspend"));
        suspend != nullptr) {
        ncclComm_t comm = communicator();
        const int first = suspend(comm, 1);
        std::printf("called: %d %d\n", first, suspend(comm, 1));
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string_view scenario = argc > 1 ? argv[1] : "";
    return scenario == "names"        ? names()
           : scenario == "grows"      ? grows()
           : scenario == "calls"      ? oneSided()
           : scenario == "configures" ? configures()
                                      : probes();
}
