// SPDX-License-Identifier: Apache-2.0
// Events of one launch: KernelLaunch, then Group with its tasks (Coll, P2p), on the launching thread;
// KernelCh on the stream's thread. NCCL's proxy thread is not emulated.
#pragma once
#include "profiler/api_events.h"

#include <atomic>
#include <memory>
#include <vector>

namespace ringside::nccl::profiler {

/// One task of a launch: its call, and the ticket of the call.
struct Task {
    Call call;
    Ticket ticket;
};

/// The kind of a launch. IntoGraph: the kernel runs only when the graph is launched.
enum class Launching : std::uint8_t { Directly, IntoGraph, ByGraph };

/// Shared by the launching thread and the kernel. The kernel may run while the events of the tasks are still
/// being started; its own events wait for them, because they are their children.
class LaunchEvents final {
public:
    /// Returns null if the plugin wants no events of this launch. Counts the collectives in any case, as NCCL
    /// does: those of graph launches only while the plugin wants KernelCh.
    [[nodiscard]] static std::shared_ptr<LaunchEvents>
    begin(const std::shared_ptr<CommunicatorProfile>& profile, const std::vector<Task>& tasks,
          cudaStream_t stream, Launching launching);

    /// Called on the launching thread, right before and after the stream accepts the kernel (for a graph:
    /// only after). `taken` false: it did not accept it.
    void launching();
    void launched(bool taken);
    /// Called on the stream's thread, around the kernel. Each task gets its KernelCh with the times of the
    /// kernel, because one kernel executes all of them; its channel is 0.
    void kernelBegins();
    /// All ranks are there: the first phase of a kernel on symmetric memory is over.
    void kernelMeets();
    void kernelEnds();

private:
    struct Running {
        Task task;
        std::uint64_t sequence = 0;
        void* event = nullptr;
        void* kernel = nullptr;
    };

    LaunchEvents(std::shared_ptr<CommunicatorProfile> profile, cudaStream_t stream, Launching launching)
        : m_profile(std::move(profile)), m_stream(stream), m_launching(launching)
    {}
    [[nodiscard]] std::uint64_t number(const Task& task);
    [[nodiscard]] const Ticket* leader() const;
    void startTasks();
    void stopTasks();
    [[nodiscard]] Descriptor describeColl(const Running& running) const;
    [[nodiscard]] Descriptor describeP2p(const Running& running) const;

    const std::shared_ptr<CommunicatorProfile> m_profile;
    const cudaStream_t m_stream;
    const Launching m_launching;
    std::vector<Running> m_tasks;
    void reportPhases(void* kernel, std::uint64_t endNs) const;

    std::uint64_t m_beginNs = 0; ///< of the kernel, on the device's clock, as the next; 0: not yet
    std::uint64_t m_metNs = 0;
    void* m_launch = nullptr;
    void* m_group = nullptr;
    std::atomic<bool> m_started = false; ///< the events of the tasks have been started
};

/// A run of the kernel, on the stream's thread; ignores null.
class KernelEvents final {
public:
    explicit KernelEvents(LaunchEvents* events) : m_events(events)
    {
        if (m_events != nullptr)
            m_events->kernelBegins();
    }
    ~KernelEvents()
    {
        if (m_events != nullptr)
            m_events->kernelEnds();
    }
    void meet() const
    {
        if (m_events != nullptr)
            m_events->kernelMeets();
    }
    KernelEvents(const KernelEvents&) = delete;
    KernelEvents& operator=(const KernelEvents&) = delete;

private:
    LaunchEvents* const m_events;
};

} // namespace ringside::nccl::profiler
