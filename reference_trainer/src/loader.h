// SPDX-License-Identifier: Apache-2.0
// The prefetching loader: threads draw batches into host memory and copy them on the loader's stream, some
// steps ahead, as PyTorch's DataLoader does. Of N workers, worker w loads the batches w, w + N, w + 2N, ...,
// and they are delivered in the order of the steps. It alone limits the host: training runs ahead of the GPU
// by as many batches as there are slots.
#pragma once
#include "gpu.h"
#include "hooks.h"
#include "sampler.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace ringside::trainer {

/// A batch on the device. The loader owns it; it is valid until release().
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
        unsigned workers = 1; ///< threads; 0: next() loads in the training's own thread
    };

    Loader(Plan plan, const Hooks& hooks);
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    /// Waits for the next batch; work queued on `stream` afterwards sees it. Rethrows the exception that
    /// stopped the loader.
    [[nodiscard]] Batch next(cudaStream_t stream);
    /// Releases the batch after the work queued on `stream` so far.
    void release(const Batch& batch, cudaStream_t stream);

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
        bool loaded = false; ///< loaded and not delivered yet
    };

    [[nodiscard]] Slot& slotOf(std::uint64_t step) { return m_slots[step % m_slots.size()]; }
    void run(unsigned worker);
    /// Returns false if the loader was told to stop. Each worker has its own sampler.
    bool load(std::uint64_t step, DistributedSampler& sampler);
    void draw(std::uint64_t step, Slot& slot, DistributedSampler& sampler);
    bool awaitFree(Slot& slot);
    static void freed(void* slot);

    Plan m_plan;
    const Hooks& m_hooks;
    Stream m_copyStream;
    std::vector<Slot> m_slots;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::uint64_t m_delivered = 0; ///< number of delivered batches
    bool m_stop = false;
    std::exception_ptr m_error;
    std::vector<std::thread> m_workers;
};

} // namespace ringside::trainer
