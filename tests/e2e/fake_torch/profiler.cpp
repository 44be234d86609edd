// SPDX-License-Identifier: Apache-2.0
// The part of torch.profiler that asks CUPTI, in a library of its own: the fake torch also runs where there
// is no CUPTI.
#include <cupti.h>
#include <cxxabi.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                         CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME,
                                         CUPTI_ACTIVITY_KIND_DRIVER};

std::mutex g_mutex;
std::string g_events; // JSON, each followed by a comma

std::uint64_t sinceEpoch()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::string readable(const char* name)
{
    int status = 0;
    char* const found = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string text = status == 0 ? found : name;
    std::free(found);
    return text;
}

template <class Record>
void add(const CUpti_Activity* activity, const char* category, const std::string& name, std::uint64_t bytes)
{
    Record record{};
    std::memcpy(&record, activity, sizeof record);
    char line[1000];
    std::snprintf(
        line, sizeof line,
        R"({"ph": "X", "cat": "%s", "name": "%s", "ts": %.3f, "dur": %.3f, "args": {"correlation": %u, "bytes": %llu}},)"
        "\n",
        category, name.c_str(), static_cast<double>(record.start) / 1e3,
        static_cast<double>(record.end - record.start) / 1e3, record.correlationId,
        static_cast<unsigned long long>(bytes));
    g_events += line;
}

std::string callName(CUpti_CallbackDomain domain, const CUpti_Activity* activity)
{
    CUpti_ActivityAPI record{};
    std::memcpy(&record, activity, sizeof record);
    const char* name = nullptr;
    cuptiGetCallbackName(domain, record.cbid, &name);
    return name != nullptr ? name : "unknown";
}

template <class Record>
Record copied(const CUpti_Activity* activity)
{
    Record record{};
    std::memcpy(&record, activity, sizeof record);
    return record;
}

void addRecord(const CUpti_Activity* record)
{
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        add<CUpti_ActivityKernel10>(record, "kernel", readable(copied<CUpti_ActivityKernel10>(record).name),
                                    0);
    else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
        add<CUpti_ActivityMemcpy6>(record, "gpu_memcpy", "Memcpy",
                                   copied<CUpti_ActivityMemcpy6>(record).bytes);
    else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET)
        add<CUpti_ActivityMemset4>(record, "gpu_memset", "Memset",
                                   copied<CUpti_ActivityMemset4>(record).bytes);
    else if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME)
        add<CUpti_ActivityAPI>(record, "cuda_runtime", callName(CUPTI_CB_DOMAIN_RUNTIME_API, record), 0);
    else if (record->kind == CUPTI_ACTIVITY_KIND_DRIVER)
        add<CUpti_ActivityAPI>(record, "cuda_driver", callName(CUPTI_CB_DOMAIN_DRIVER_API, record), 0);
}

void request(std::uint8_t** buffer, std::size_t* size, std::size_t* records)
{
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
    *size = kBufferBytes;
    *records = 0;
}

void complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t validSize)
{
    const std::lock_guard lock(g_mutex);
    for (CUpti_Activity* record = nullptr;
         validSize != 0 && cuptiActivityGetNextRecord(buffer, validSize, &record) == CUPTI_SUCCESS;)
        addRecord(record);
    std::free(buffer);
}

} // namespace

EXPORTED void profilerStart()
{
    cuptiActivityRegisterTimestampCallback(&sinceEpoch);
    cuptiActivityRegisterCallbacks(&request, &complete);
    for (const CUpti_ActivityKind kind : kKinds)
        cuptiActivityEnable(kind);
}
/// JSON, each event followed by a comma; valid until the next start.
EXPORTED const char* profilerStop()
{
    for (const CUpti_ActivityKind kind : kKinds)
        cuptiActivityDisable(kind);
    cuptiActivityFlushAll(1);
    return g_events.c_str();
}
