// SPDX-License-Identifier: Apache-2.0
// The prefetching loader: a thread draws batches into pinned memory and copies them on its own stream, some
// steps ahead. It is the only brake on the host: training runs ahead of the GPU by as many batches as there
// are slots.
#pragma once
#include "gpu.h"
#include "hooks.h"
#include "sampler.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace ringside::trainer {

/// A batch on the device. Belongs to the loader; valid until given back.
struct Batch {
    const float* images = nullptr;
    const int* labels = nullptr;
    unsigned slot = 0;
};

class Loader final {
public:
    struct Plan {
        DistributedSampler sampler;
        std::uint64_t seed = 0;
        std::uint64_t steps = 0;
        unsigned localBatch = 0;
        int device = 0;
    };

    Loader(Plan plan, const Hooks& hooks);
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    /// Waits for the next batch; what is queued on `stream` afterwards sees it. Rethrows what stopped the
    /// loader.
    [[nodiscard]] Batch next(cudaStream_t stream);
    /// The work queued on `stream` so far is the last to read the batch.
    void giveBack(const Batch& batch, cudaStream_t stream);

private:
    struct Slot {
        Loader* loader = nullptr;
        HostArray<float> hostImages;
        HostArray<int> hostLabels;
        DeviceArray<float> images;
        DeviceArray<int> labels;
        Event copied;
        Event consumed;
        bool free = true;
    };

    void run();
    void load(std::uint64_t step, Slot& slot);
    bool awaitFree(Slot& slot);
    static void freed(void* slot);

    Plan m_plan;
    const Hooks& m_hooks;
    Stream m_copyStream;
    std::vector<Slot> m_slots;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::uint64_t m_loaded = 0; ///< batches loaded and taken, counted from the start
    std::uint64_t m_taken = 0;
    bool m_stop = false;
    std::exception_ptr m_error;
    std::thread m_thread;
};

} // namespace ringside::trainer
