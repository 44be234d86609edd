// SPDX-License-Identifier: Apache-2.0
// A program that has NCCL's place before a profiler plugin: loads the one that NCCL_PROFILER_PLUGIN names and
// plays a script to it in the words of the version given first. No NCCL, no GPU; every value is made up.
#include "abi/nccl_profiler.h"

#include <ringside/collector.h>

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace ringside::collector::profiler;

std::function<void()> atEnd; // runs after the collector's own end, which is registered later

constexpr std::uint64_t kHash = 0xFEDC000000000001;
int mask = 0;

void require(bool condition, const char* what)
{
    if (!condition) {
        std::fprintf(stderr, "failed: %s\n", what);
        std::exit(1);
    }
}

void ignoreLog(int, unsigned long, const char*, int, const char*, ...) {}

CollFields allReduce()
{
    return {.sequence = 41,
            .function = "AllReduce",
            .send = nullptr,
            .receive = nullptr,
            .count = 1000,
            .root = 0,
            .datatype = "ncclFloat16",
            .channels = 24,
            .warps = 16,
            .algorithm = "NVLS",
            .protocol = "SIMPLE"};
}

// What differs between the versions; the rest of the script is the same.
struct Three {
    using Table = PluginV3;
    using Descriptor = DescriptorV3;
    using Arguments = StateArgumentsV3;
    static constexpr int kVersion = 3;
    static Result open(const Table& plugin, void** context) { return plugin.init(context, &mask); }
    static void fillColl(Descriptor& event, void*)
    {
        event.coll = {.communicatorName = "data", .communicatorHash = kHash, .fields = allReduce()};
    }
    static void fillSend(Descriptor& event, void*)
    {
        event.p2p = {.communicatorName = "data",
                     .communicatorHash = kHash,
                     .function = "Send",
                     .buffer = nullptr,
                     .datatype = "Unknown",
                     .count = 77,
                     .peer = 5};
    }
    static void fillChannel(Descriptor& event) { event.kernelCh = {.channel = 3}; }
};

struct Four {
    using Table = PluginV4;
    using Descriptor = DescriptorV4;
    using Arguments = StateArguments;
    static constexpr int kVersion = 4;
    static Result open(const Table& plugin, void** context)
    {
        return plugin.init(context, &mask, "data", kHash, 2, 16, 9, &ignoreLog);
    }
    static void fillColl(Descriptor& event, void*) { event.coll = allReduce(); }
    static void fillSend(Descriptor& event, void*)
    {
        event.p2p = {.function = "Send",
                     .buffer = nullptr,
                     .datatype = "Unknown",
                     .count = 77,
                     .peer = 5,
                     .channels = 2};
    }
    static void fillChannel(Descriptor& event) { event.kernelCh = {.channel = 3, .timer = 5'000'000}; }
};

template <class PluginTable, class PluginDescriptor, int Version>
struct Later {
    using Table = PluginTable;
    using Descriptor = PluginDescriptor;
    using Arguments = StateArguments;
    static constexpr int kVersion = Version;
    static Result open(const Table& plugin, void** context)
    {
        return plugin.init(context, kHash, &mask, "data", 2, 16, 9, &ignoreLog);
    }
    static void fillColl(Descriptor& event, void* group)
    {
        event.coll = {.fields = allReduce(), .group = group};
        if constexpr (Version >= 7) {
            event.more.coll = {.kernelVariant = "AllReduce_AGxLL_R", .symmetric = true, .userTag = 77};
        }
    }
    static void fillSend(Descriptor& event, void* group)
    {
        event.p2p = {.fields = {.function = "Send",
                                .buffer = nullptr,
                                .datatype = "Unknown",
                                .count = 77,
                                .peer = 5,
                                .channels = 2},
                     .group = group,
                     .userTag = Version >= 7 ? 78U : 0U};
    }
    static void fillChannel(Descriptor& event) { event.kernelCh = {.channel = 3, .timer = 5'000'000}; }
};

template <class Version>
class Driver {
public:
    using Descriptor = typename Version::Descriptor;
    explicit Driver(const typename Version::Table& plugin) : m_plugin(plugin) {}

    void open()
    {
        m_earlier.push_back(m_context);
        require(Version::open(m_plugin, &m_context) == kSuccess, "init");
        std::printf("context %s mask %#x\n", m_context == nullptr ? "null" : "made",
                    static_cast<unsigned>(mask));
    }
    /// Of the communicator that was opened last. Events of it may still follow.
    void close()
    {
        require(m_plugin.finalize(m_context) == kSuccess, "finalize");
        if (m_earlier.back() != nullptr) {
            m_context = m_earlier.back();
        }
        m_earlier.pop_back();
    }

    void* start(std::uint64_t type, void* parent, Descriptor event = {})
    {
        event.type = static_cast<decltype(event.type)>(type);
        event.parent = parent;
        event.rank = 9;
        void* handle = &event; // must be overwritten
        require(m_plugin.startEvent(m_context, &handle, &event) == kSuccess, "startEvent");
        return handle;
    }
    void stop(void* handle)
    {
        if (handle != nullptr) {
            require(m_plugin.stopEvent(handle) == kSuccess, "stopEvent");
        }
    }

    /// One collective and one send, as NCCL enqueues them.
    void operations()
    {
        void* const group = start(kGroup, nullptr);
        constexpr int kFirstWithoutGate = 5;
        if (Version::kVersion < kFirstWithoutGate && group == nullptr) {
            return; // who gives no handle is told no more: src/plugin/profiler.cc of 2.26.2 to 2.27.7
        }
        Descriptor event{};
        Version::fillColl(event, group);
        void* const collective = start(kColl, group, event);
        event = {};
        Version::fillSend(event, group);
        void* const send = start(kP2p, group, event);
        stop(collective);
        stop(send);
        stop(group);
        stop(collective); // NCCL does so with handles that it keeps
    }
    void state(void* handle, State what, typename Version::Arguments arguments = {})
    {
        if (handle != nullptr) {
            require(m_plugin.recordEventState(handle, what, &arguments) == kSuccess, "recordEventState");
        }
    }
    void sent(void* handle, State what)
    {
        typename Version::Arguments arguments{};
        if constexpr (Version::kVersion > 3) {
            arguments.proxyStep.bytes = 4096;
        }
        state(handle, what, arguments);
    }
    /// A collective's channel on the GPU, and a message each way; `pid` is the process that asked for them.
    void deep(int pid)
    {
        void* const group = start(kGroup, nullptr);
        Descriptor event{};
        Version::fillColl(event, group);
        void* const collective = start(kColl, group, event);
        stop(collective);
        stop(group);
        event = {};
        Version::fillChannel(event);
        void* const channel = start(kKernelCh, collective, event);
        if constexpr (Version::kVersion > 3) {
            StateArguments arguments{};
            arguments.kernelCh.timer = 5'800'000;
            phases(channel);
            state(channel, State::KernelChStop, arguments);
        }
        stop(channel);
        message(collective, pid, true);
        message(collective, pid, false);
    }
    /// The parts of a channel, of which NCCL tells when its kernel has ended: src/plugin/profiler.cc of 2.31.
    void phases(void* channel)
    {
        if constexpr (Version::kVersion >= 7) {
            constexpr std::uint64_t kTimes[] = {5'000'000, 5'500'000, 5'750'000, 5'800'000};
            for (std::uint8_t phase = 0; channel != nullptr && phase < 3; ++phase) {
                Descriptor event{};
                event.kernelPhase = {.channel = 3, .phase = phase, .name = "a phase", .timer = kTimes[phase]};
                void* const handle = start(kKernelPhase, channel, event);
                StateArguments arguments{};
                arguments.kernelCh.timer = kTimes[phase + 1];
                state(handle, State::KernelPhaseStop, arguments);
                stop(handle);
            }
        }
    }
    /// An all-gather by copy engines: two batches between two synchronisations (src/ce_coll.cc of 2.30).
    void copyEngines()
    {
        if constexpr (Version::kVersion >= 6) {
            Descriptor event{};
            event.ceColl = {.sequence = 3,
                            .function = "AllGather",
                            .send = nullptr,
                            .receive = nullptr,
                            .count = 500,
                            .root = 0,
                            .datatype = "ncclFloat32",
                            .syncStrategy = "MC",
                            .intraBatchSync = true,
                            .batchSize = 8,
                            .batches = 2,
                            .ceSequence = 7,
                            .stream = nullptr};
            if constexpr (Version::kVersion >= 7) {
                event.more.ceColl.userTag = 79;
            }
            void* const collective = start(kCeColl, nullptr, event);
            event = {};
            event.ceSync = {.isComplete = false, .ranks = 16};
            stop(start(kCeSync, collective, event));
            for (int batch = 0; batch < 2; ++batch) {
                event = {};
                event.ceBatch = {.copies = 15, .bytes = 30'000, .intraBatchSync = true};
                stop(start(kCeBatch, collective, event));
            }
            event = {};
            event.ceSync = {.isComplete = true, .ranks = 16};
            stop(start(kCeSync, collective, event));
            stop(collective);
        }
    }
    void message(void* collective, int pid, bool send)
    {
        Descriptor event{};
        event.proxyOp = {
            .pid = pid, .channel = 1, .peer = 4, .steps = 1, .chunkBytes = 4096, .isSend = send ? 1 : 0};
        void* const context = m_context;
        m_context = pid == getpid() ? context : reinterpret_cast<void*>(0x10); // theirs, in another process
        void* const operation = start(kProxyOp, collective, event);
        event = {};
        event.proxyStep.step = 2;
        void* const step = start(kProxyStep, operation, event);
        m_context = context;
        if (send) {
            sent(step, State::StepSendGpuWait);
            sent(step, State::StepSendPeerWait);
            usleep(2000);
            sent(step, State::StepSendPeerWait);
        }
        sent(step, send ? State::StepSendWait : State::StepRecvWait);
        usleep(1000);
        if (!send) {
            sent(step, State::StepRecvFlushWait);
            sent(step, State::StepRecvGpuWait);
        }
        stop(step);
        stop(operation);
        stop(step);
    }
    /// Waits until the plugin has set the mask so: it does when it likes.
    void awaitMask(unsigned wanted)
    {
        constexpr int kTries = 1000;
        for (int attempt = 0; attempt < kTries && current() != wanted; ++attempt) {
            usleep(10'000);
        }
        std::printf("mask %#x\n", current());
        require(current() == wanted, "the mask that was wanted");
    }
    static unsigned current() { return static_cast<unsigned>(std::atomic_ref(mask).load()); }
    /// What no version has, what nobody asked for, and what is not there.
    void nonsense()
    {
        for (const std::uint64_t type : {0ULL, 3ULL, 128ULL, 1ULL << 40U}) {
            stop(start(type, nullptr));
        }
        stop(start(kProxyCtrl, reinterpret_cast<void*>(0x1234)));
        Descriptor event{};
        Version::fillColl(event, nullptr);
        require(m_plugin.startEvent(nullptr, nullptr, &event) == kSuccess, "startEvent without a handle");
        require(m_plugin.startEvent(m_context, nullptr, &event) == kSuccess, "startEvent without a handle");
        void* handle = nullptr;
        require(m_plugin.startEvent(nullptr, &handle, &event) == kSuccess, "startEvent without context");
        require(handle == nullptr, "an event without a communicator");
        for (const std::uint64_t bits : {~0ULL, 1ULL, 3ULL << 60U, 0x7fff00000000ULL}) {
            void* const stale = reinterpret_cast<void*>(bits);
            typename Version::Arguments arguments{};
            require(m_plugin.recordEventState(stale, State::StepSendWait, &arguments) == kSuccess, "a state");
            require(m_plugin.recordEventState(stale, State::KernelChStop, nullptr) == kSuccess, "a state");
            require(m_plugin.stopEvent(stale) == kSuccess, "stopEvent of a stale handle");
            start(kColl, stale, event);
        }
        require(m_plugin.finalize(nullptr) == kSuccess, "finalize without context");
    }
    /// More events at once than there is room for.
    void crowd()
    {
        constexpr int kEvents = 20'000;
        Descriptor event{};
        Version::fillColl(event, nullptr);
        for (int index = 0; index < kEvents; ++index) {
            start(kColl, nullptr, event);
        }
    }
    void play(std::string_view scene)
    {
        if (scene == "open") {
            open();
        } else if (scene == "close") {
            close();
        } else if (scene == "operations") {
            operations();
        } else if (scene == "nonsense") {
            nonsense();
        } else if (scene == "crowd") {
            crowd();
        } else if (scene == "deep") {
            deep(getpid());
        } else if (scene == "phase") {
            stop(start(kKernelPhase, nullptr));
        } else if (scene == "copyEngines") {
            copyEngines();
        } else if (scene == "deepOfAnotherProcess") {
            deep(getpid() + 1);
        } else if (scene.starts_with("mask")) {
            awaitMask(static_cast<unsigned>(std::strtoul(scene.substr(4).data(), nullptr, 16)));
        } else if (scene == "spoil") {
            mask = 0x55;
        } else if (scene == "step") {
            ringside_step_begin(++m_step);
        } else if (scene == "rest") {
            usleep(700'000);               // more than one pass of the drain thread
        } else if (scene == "unstopped") { // and what comes of it when the recording is over
            atEnd = [this] {
                operations();
                deep(getpid());
                stop(m_unstopped);
                close();
                std::printf("after the end\n");
                std::fflush(stdout);
            };
            Descriptor event{};
            Version::fillColl(event, nullptr);
            m_unstopped = start(kColl, nullptr, event);
        } else if (scene == "onThread") {
            std::thread([this] { operations(); }).join();
        } else {
            require(false, scene.data());
        }
    }

private:
    const typename Version::Table& m_plugin;
    void* m_context = nullptr;
    void* m_unstopped = nullptr;
    std::vector<void*> m_earlier; ///< those before it
    std::int64_t m_step = 0;
};

template <class Version>
int play(void* library, int count, char** scenes)
{
    const std::string name = "ncclProfiler_v" + std::to_string(Version::kVersion);
    const auto* const plugin = static_cast<const typename Version::Table*>(dlsym(library, name.c_str()));
    require(plugin != nullptr, name.c_str());
    static auto* const driver = new Driver<Version>(*plugin); // used until the very end
    for (int index = 0; index < count; ++index) {
        driver->play(scenes[index]);
    }
    std::printf("%s done\n", plugin->name);
    return 0;
}

} // namespace

int main(int count, char** words)
{
    std::atexit([] {
        if (atEnd) {
            atEnd();
        }
    });
    const char* const name = std::getenv("NCCL_PROFILER_PLUGIN");
    require(count > 1 && name != nullptr, "a version and a plugin");
    if (count > 2 && std::strcmp(words[2], "exec") == 0) { // the rest of the script in a program of its own
        words[2] = words[1];
        execv("/proc/self/exe", words + 1);
    }
    const bool inProgram = std::strcmp(name, "STATIC_PLUGIN") == 0;
    void* const library = dlopen(inProgram ? nullptr : name, RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr, name);
    std::printf("plugin %s\n", name);
    switch (std::atoi(words[1])) {
    case 3:
        return play<Three>(library, count - 2, words + 2);
    case 4:
        return play<Four>(library, count - 2, words + 2);
    case 5:
        return play<Later<PluginV5, DescriptorV5, 5>>(library, count - 2, words + 2);
    case 6:
        return play<Later<PluginV6, DescriptorV6, 6>>(library, count - 2, words + 2);
    default:
        return play<Later<PluginV7, DescriptorV7, 7>>(library, count - 2, words + 2);
    }
}
