// SPDX-License-Identifier: Apache-2.0
// The program of marks_test: marks its steps by ringside/collector.h, by NVTX, or both, through an NVTX
// client of its own, and does a copy in each.
#include "api.h"

#include <ringside/collector.h>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

nvtxEventAttributes_t named(const char* text, uint32_t category)
{
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.category = category;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = text;
    return event;
}

// Every kind of NVTX event once, around a call that starts the recording.
int ranges()
{
    cudaDeviceSynchronize();
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    nvtxMarkA("moment");
    nvtxRangePop();
    nvtxRangePop();
    nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
    nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "registered");
    nvtxEventAttributes_t event = named(nullptr, 7);
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = text;
    nvtxRangePushA("default around");
    nvtxDomainRangePushEx(domain, &event);
    nvtxRangePop(); // the default domain's range ends inside the other's
    nvtxDomainRangePop(domain);
    const nvtxEventAttributes_t started = named("across threads", 0);
    const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &started);
    std::thread([domain, range] { nvtxDomainRangeEnd(domain, range); }).join();
    nvtxDomainMarkEx(domain, &started);
    nvtxRangePop(); // nothing is open: must be harmless
    nvtxDomainDestroy(domain);
    return 0;
}

// More ranges than a thread may have open, each ended by the payload extension as NCCL ends some of its own.
int payloads(int count)
{
    cudaDeviceSynchronize();
    nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
    const nvtxEventAttributes_t event = named("ended by a payload", 0);
    const std::uint64_t value = 0;
    const nvtxPayloadData_t payload{NVTX_PAYLOAD_ENTRY_TYPE_UINT64, sizeof value, &value};
    for (int i = 0; i < count; ++i) {
        nvtxDomainRangePushEx(domain, &event);
        nvtxRangePopPayload(domain, &payload, 1);
    }
    nvtxRangePushA("afterwards");
    nvtxRangePop();
    return 0;
}

// A pause from the middle of step 3 to the middle of step 5, with a range that begins in each.
int pauses()
{
    void* memory = nullptr;
    const char text[64] = "";
    cudaMalloc(&memory, sizeof text);
    for (int step = 1; step <= 6; ++step) {
        RINGSIDE_STEP_BEGIN(step);
        nvtxRangePushA(("range " + std::to_string(step)).c_str());
        if (step == 3) {
            RINGSIDE_PAUSE();
        }
        if (step == 5) {
            RINGSIDE_RESUME();
        }
        cudaMemcpyAsync(memory, text, sizeof text, cudaMemcpyHostToDevice, nullptr);
        nvtxRangePop();
    }
    RINGSIDE_STEP_END();
    return 0;
}

int steps(int count, bool marks, bool nvtx)
{
    void* memory = nullptr;
    char text[64] = "";
    cudaMalloc(&memory, 64);
    for (int step = 1; step <= count; ++step) {
        if (marks) {
            RINGSIDE_STEP_BEGIN(step);
        }
        if (nvtx) {
            nvtxRangePushA(("iteration " + std::to_string(step)).c_str());
            nvtxRangePushA("step"); // says the same once more
        }
        cudaMemcpyAsync(memory, text, sizeof text, cudaMemcpyHostToDevice, nullptr);
        usleep(10000);
        if (nvtx) {
            nvtxRangePop();
            nvtxRangePop();
        }
    }
    RINGSIDE_STEP_END();
    cudaDeviceSynchronize();
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string scenario = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? std::atoi(argv[2]) : 0;
    if (scenario == "ranges") {
        return ranges();
    }
    if (scenario == "payloads") {
        return payloads(count);
    }
    if (scenario == "pauses") {
        return pauses();
    }
    if (scenario == "killed") {
        steps(count, true, false);
        std::raise(SIGKILL);
    }
    return steps(count, scenario != "nvtx", scenario != "marks");
}
