// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include "device.h"
#include "properties.h"
#include "submit.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::platform {

struct Kernel {
    using Run = void (*)(void** arguments, unsigned begin, unsigned end);
    using Cost = void (*)(void** arguments, unsigned threads, double* flops, double* bytes);
    // The host version of a kernel, found at the first launch, when the program is completely loaded.
    struct Host {
        Run run = nullptr;
        Cost cost = nullptr;
        const unsigned* argumentSizes = nullptr; ///< their number, then the size of each
    };
    std::string name;
    mutable std::once_flag looked;
    mutable Host host;
    mutable std::atomic<std::size_t> sharedLimit = kDefaultSharedPerBlock;
};

namespace {

struct KernelTable {
    std::mutex mutex;
    std::unordered_map<const void*, Kernel*> byFunction;
};

KernelTable& kernelTable()
{
    static auto* table = new KernelTable;
    return *table;
}

const Kernel::Host& hostOf(const Kernel& kernel)
{
    std::call_once(kernel.looked, [&kernel] {
        const auto symbol = [&kernel](const char* prefix) {
            return dlsym(RTLD_DEFAULT, (prefix + kernel.name).c_str());
        };
        Kernel::Host host{reinterpret_cast<Kernel::Run>(symbol("ringside_cpu_kernel_")),
                          reinterpret_cast<Kernel::Cost>(symbol("ringside_cpu_cost_")),
                          static_cast<const unsigned*>(symbol("ringside_cpu_args_"))};
        if (host.run != nullptr && host.argumentSizes != nullptr)
            kernel.host = host;
        else
            complain("kernel '%s' has no host version (ringside_cpu_kernel_%s and ringside_cpu_args_%s, "
                     "exported by "
                     "the program); its launches do nothing",
                     kernel.name.c_str(), kernel.name.c_str(), kernel.name.c_str());
    });
    return kernel.host;
}

// A queued launch with its own copy of the arguments, because the caller's have gone when it runs.
class LaunchedKernel final {
public:
    LaunchedKernel(const Kernel::Host& host, void** arguments, unsigned threads)
        : m_run(host.run), m_threads(threads)
    {
        const unsigned count = host.argumentSizes[0];
        std::size_t size = 0;
        for (unsigned i = 0; i < count; ++i) {
            m_offsets.push_back(size);
            size += (host.argumentSizes[i + 1] + kAlign - 1) / kAlign * kAlign;
        }
        m_values.resize(size / kAlign);
        const std::vector<void*> places = pointers();
        for (unsigned i = 0; i < count; ++i)
            std::memcpy(places[i], arguments[i], host.argumentSizes[i + 1]);
    }
    /// Returns the address of each argument.
    std::vector<void*> pointers()
    {
        std::vector<void*> places;
        for (const std::size_t offset : m_offsets)
            places.push_back(reinterpret_cast<char*>(m_values.data()) + offset);
        return places;
    }
    static void* clone(const void* self)
    {
        return new (std::nothrow) LaunchedKernel(*static_cast<const LaunchedKernel*>(self));
    }
    static void run(void* self, bool skip)
    {
        const std::unique_ptr<LaunchedKernel> launched(static_cast<LaunchedKernel*>(self));
        if (!skip)
            launched->m_run(launched->pointers().data(), 0, launched->m_threads);
    }

private:
    static constexpr std::size_t kAlign = alignof(std::max_align_t);
    Kernel::Run m_run;
    unsigned m_threads;
    std::vector<std::max_align_t> m_values;
    std::vector<std::size_t> m_offsets;
};

void runNothing(void*, bool) {}

bool isValid(const dim3& grid, const dim3& block)
{
    const std::uint64_t perBlock = std::uint64_t{block.x} * block.y * block.z;
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    return perBlock >= 1 && perBlock <= kMaxThreadsPerBlock && blocks >= 1 && grid.y <= 65535 &&
           grid.z <= 65535;
}

Work makeWork(const Kernel& kernel, const Launch& launch, unsigned threads)
{
    const Kernel::Host& host = hostOf(kernel);
    Work work{.name = kernel.name.c_str(), .run = runNothing, .arithmetic = true};
    work.shape = {{launch.grid.x, launch.grid.y, launch.grid.z},
                  {launch.block.x, launch.block.y, launch.block.z},
                  static_cast<std::uint32_t>(launch.sharedBytes)};
    if (host.run == nullptr)
        return work;
    auto launched = std::make_unique<LaunchedKernel>(host, launch.arguments, threads);
    work.cost.flops = threads;
    if (host.cost != nullptr)
        host.cost(launched->pointers().data(), threads, &work.cost.flops, &work.cost.memoryBytes);
    work.run = LaunchedKernel::run;
    work.clone = LaunchedKernel::clone;
    work.arg = launched.release();
    return work;
}

} // namespace

void registerKernel(const void* hostFunction, const char* deviceName)
{
    auto* kernel = new Kernel{.name = deviceName, .looked = {}, .host = {}};
    KernelTable& table = kernelTable();
    const std::lock_guard lock(table.mutex);
    table.byFunction[hostFunction] = kernel;
    table.byFunction[kernel] = kernel;
}

const Kernel* findKernel(const void* function)
{
    KernelTable& table = kernelTable();
    const std::lock_guard lock(table.mutex);
    const auto found = table.byFunction.find(function);
    return found == table.byFunction.end() ? nullptr : found->second;
}

const char* kernelName(const Kernel& kernel)
{
    return kernel.name.c_str();
}

std::size_t sharedLimit(const Kernel& kernel)
{
    return kernel.sharedLimit;
}

void setSharedLimit(const Kernel& kernel, std::size_t bytes)
{
    kernel.sharedLimit = bytes;
}

cudaError_t kernelWork(const Kernel& kernel, const Launch& launch, Work& work)
{
    const std::uint64_t threads = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z *
                                  launch.block.x * launch.block.y * launch.block.z;
    if (!isValid(launch.grid, launch.block) || threads > std::numeric_limits<unsigned>::max())
        return cudaErrorInvalidConfiguration;
    if (launch.sharedBytes > kernel.sharedLimit)
        return cudaErrorInvalidValue;
    work = makeWork(kernel, launch, static_cast<unsigned>(threads));
    return cudaSuccess;
}

cudaError_t launchKernel(const Kernel& kernel, const Launch& launch)
{
    const auto stream = findStream(launch.stream);
    if (stream == nullptr || stream->options().device != currentDevice())
        return cudaErrorInvalidResourceHandle;
    Work work;
    const cudaError_t error = kernelWork(kernel, launch, work);
    // NOLINTNEXTLINE(*NewDeleteLeaks): submit takes the argument
    return error != cudaSuccess ? error : submit(*stream, {.work = work}).error;
}

} // namespace ringside::platform
