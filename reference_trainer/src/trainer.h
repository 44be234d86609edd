// SPDX-License-Identifier: Apache-2.0
// One rank's training, from the device to the result.
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

/// Peaks of device memory as the trainer counts its own; see device_memory.h.
struct TrainingMemory {
    MemoryBytes ofFirst;   ///< rank 0's device
    std::size_t least = 0; ///< in all, over all devices
    std::size_t most = 0;
};

struct TrainingResult {
    std::string device;        ///< rank 0's, as CUDA calls it
    std::vector<float> losses; ///< of this rank's share, one a step
    /// GPU time from the end of the step before to the end of this one, warm-up left out: none where all is
    /// warm-up.
    std::vector<double> stepMs;
    std::optional<double> accuracy; ///< on held-out digits, over all ranks, 0 to 1
    std::vector<float> parameters;
    std::vector<std::size_t> bucketBytes;
    TrainingMemory memory;              ///< without the evaluation
    std::optional<LossScale> lossScale; ///< as it is at the end; none where the loss is not scaled
};

class Trainer final {
public:
    /// `hooks` must outlive the trainer. `device` is current already. `communicator` is null where a process
    /// is alone.
    Trainer(const Options& options, const RankIdentity& identity, int device, const Hooks& hooks,
            ncclComm_t communicator, Watchdog& watchdog);

    [[nodiscard]] TrainingResult run();
    [[nodiscard]] const Network& network() const { return m_network; }
    /// Null where there is no other rank to reduce with.
    [[nodiscard]] const GradientReducer* reducer() const { return m_reducer.get(); }

private:
    void prepare();
    void step(std::uint64_t number);
    void computePart(const Batch& batch, std::uint64_t number, unsigned part);
    /// Forward and backward of the network on this rank's device.
    void computeHere(const float* images, const int* labels, float* loss, bool last);
    void gradientReady(std::size_t tensor, bool last);
    void keepGradients(unsigned part);
    void addKept(std::size_t offset, std::size_t count); ///< to the gradients of the last part
    void optimize();
    [[nodiscard]] bool gradientsAreUsable(); ///< where the loss is scaled; sets the next step's scale
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
    unsigned m_partBatch;   ///< as many are computed at once
    unsigned m_deviceBatch; ///< as many by one device
    Stream m_stream;
    Network m_network;
    std::unique_ptr<GradientReducer> m_reducer;   ///< null where this process is alone
    std::unique_ptr<DataParallel> m_dataParallel; ///< null but with several devices in this process
    std::unique_ptr<Optimizer> m_optimizer;
    std::optional<LossScale> m_lossScale;    ///< only with --precision fp16
    std::optional<OverflowCheck> m_overflow; ///< with it
    DeviceArray<float> m_sums;   ///< gradients of a step's parts but the last; empty where there is only one
    DeviceArray<float> m_losses; ///< a part
    std::vector<Event> m_stepEnds; ///< one more than steps: the first is the start
    Loader m_loader;
};

} // namespace ringside::trainer
