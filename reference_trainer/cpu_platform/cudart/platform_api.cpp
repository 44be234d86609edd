// SPDX-License-Identifier: Apache-2.0
// The private interface of the emulated libraries (platform.h).
#include "api.h"
#include "lifetime.h"
#include "memory.h"
#include "model.h"
#include "platform.h"

using namespace ringside::platform;

namespace {

constexpr ApiFunction kLibraryLaunch{ApiDomain::Driver, 652}; // cuLaunchKernelEx

/// Makes a device the calling thread's device during its lifetime.
class DeviceScope final {
public:
    explicit DeviceScope(int device) : m_before(currentDevice())
    {
        if (isDevice(device))
            setCurrentDevice(device);
    }
    ~DeviceScope() { setCurrentDevice(m_before); }
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

private:
    const int m_before;
};

} // namespace

int ringside_platform_enqueue(CUstream_st* stream, const Work* work)
{
    bool taken = false;
    const cudaError_t result = apiCall(kLibraryLaunch, [&] {
        const DeviceScope scope(work->device);
        return withStream(stream, [&](Stream& on) {
            taken = true;
            return submit(on, {.work = *work}).error;
        });
    });
    if (!taken)
        work->run(work->arg, true); // this function must free its argument in any case
    return result;
}

void ringside_platform_set_sink(const ActivitySink* sink)
{
    setSink(sink);
}

double ringside_platform_model_number(const char* key, double fallback)
{
    return DeviceModel::get().number(key, fallback);
}

double ringside_platform_throttle_factor()
{
    const DeviceModel& model = DeviceModel::get();
    return model.throttleFactor(model.age());
}

int ringside_platform_device_memory(int device, std::uint64_t* total, std::uint64_t* used)
{
    if (forkedAway() || !usesDevice(device))
        return 0;
    *total = totalMemory();
    *used = usedMemory(device);
    return 1;
}

int ringside_platform_device_count()
{
    return deviceCount();
}

int ringside_platform_stub(const char* name, int* said, int status)
{
    if (__atomic_exchange_n(said, 1, __ATOMIC_RELAXED) == 0)
        complain("%s is not emulated: it fails with status %d", name, status);
    return status;
}
