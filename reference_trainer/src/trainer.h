// SPDX-License-Identifier: Apache-2.0
// Training of one rank, from the device to the result.
#pragma once
#include "data_parallel.h"
#include "fault.h"
#include "gradient_reducer.h"
#include "launch_environment.h"
#include "loader.h"
#include "loss_scale.h"
#include "network.h"
#include "optimizer.h"
#include "options.h"
#include "overflow_check.h"
#include "watchdog.h"

#include <memory>
#include <optional>
#include <vector>

namespace ringside::trainer {

/// Peaks of the device memory that the trainer itself allocates; see device_memory.h.
struct TrainingMemory {
    MemoryBytes ofFirst;   ///< rank 0's device
    std::size_t least = 0; ///< total of a device, minimum over all devices
    std::size_t most = 0;
};

struct TrainingResult {
    std::string device;        ///< rank 0's device, as CUDA names it
    std::vector<float> losses; ///< of this rank's share, one per step
    /// GPU time from the end of the previous step to the end of this one, without warm-up; empty if all steps
    /// are warm-up.
    std::vector<double> stepMs;
    std::optional<double> accuracy; ///< on held-out digits, over all ranks, 0 to 1
    std::vector<float> parameters;
    std::vector<std::size_t> bucketBytes;
    TrainingMemory memory;              ///< without the evaluation
    std::optional<LossScale> lossScale; ///< at the end; empty if the loss is not scaled
};

class Trainer final {
public:
    /// `hooks` must outlive the trainer. `device` must be current. `communicator` is null for a single
    /// process.
    Trainer(const Options& options, const RankIdentity& identity, int device, const Hooks& hooks,
            ncclComm_t communicator, Watchdog& watchdog);

    [[nodiscard]] TrainingResult run();
    [[nodiscard]] const Network& network() const { return m_network; }
    /// Returns null if there is no other rank to reduce with.
    [[nodiscard]] const GradientReducer* reducer() const { return m_reducer.get(); }

private:
    void prepare();
    void step(std::uint64_t number);
    /// Creates the event here: as many as steps are asked for would take minutes for a job without an end.
    void recordStepEnd();
    void computePart(const Batch& batch, std::uint64_t number, unsigned part);
    /// Forward and backward of the network on this rank's device.
    void computeHere(const float* images, const int* labels, float* loss, bool last);
    void gradientReady(std::size_t tensor, bool last);
    void keepGradients(unsigned part);
    void addKept(std::size_t offset, std::size_t count); ///< adds them to the gradients of the last part
    void optimize();
    [[nodiscard]] bool gradientsAreUsable(); ///< if the loss is scaled; also sets the next step's scale
    void reportProgress(std::uint64_t number);
    [[nodiscard]] std::vector<double> stepTimes() const;
    [[nodiscard]] std::optional<double> accuracy();
    [[nodiscard]] TrainingMemory memory() const;

    const Options& m_options;
    RankIdentity m_identity;
    const Hooks& m_hooks;
    int m_device;
    ncclComm_t m_communicator;
    Watchdog& m_watchdog;
    unsigned m_localBatch;  ///< this rank's share of a step's samples
    unsigned m_partBatch;   ///< samples that are computed at once
    unsigned m_deviceBatch; ///< samples that one device computes
    Stream m_stream;
    Network m_network;
    std::unique_ptr<GradientReducer> m_reducer;   ///< null for a single process
    std::unique_ptr<DataParallel> m_dataParallel; ///< null unless this process has several devices
    std::unique_ptr<Optimizer> m_optimizer;
    std::optional<LossScale> m_lossScale;    ///< only with --precision fp16
    std::optional<OverflowCheck> m_overflow; ///< only with m_lossScale
    /// gradients of all parts of a step but the last; empty if there is only one
    DeviceArray<float> m_sums;
    DeviceArray<float> m_losses;   ///< one per part
    std::vector<Event> m_stepEnds; ///< of the steps so far; the first is the start
    Loader m_loader;
};

} // namespace ringside::trainer
