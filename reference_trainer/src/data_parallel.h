// SPDX-License-Identifier: Apache-2.0
// One process for several devices, as PyTorch's DataParallel: batches come to the first device, which sends
// each device its share and, before every forward, all parameters. One host thread for each device computes.
// Losses and gradients are collected on the first device, where the optimizer runs. Nothing overlaps with
// backward, and the first device's link carries all traffic. It serves as comparison with DDP.
#pragma once
#include "bucket_plan.h"
#include "network.h"
#include "options.h"

#include <functional>
#include <memory>
#include <vector>

namespace ringside::trainer {

class DataParallel final {
public:
    /// `first` is the network of device 0, which is current, and `stream` its stream. Each device computes
    /// `batch` samples.
    DataParallel(const Options& options, Network& first, cudaStream_t stream, unsigned batch);

    /// Computes from images and labels on device 0, a batch for each device. The first network's gradients
    /// become the sum over the devices of the gradients of their mean losses, and *loss the mean of these
    /// losses. All of it is queued; later work on the first stream sees the results.
    void compute(const float* images, const int* labels, float* loss);

    [[nodiscard]] ncclComm_t firstCommunicator() const { return m_communicators.front().get(); }

private:
    /// The first device uses the trainer's network and owns only its loss.
    struct Replica {
        int device = 0;
        Stream stream;
        std::unique_ptr<Network> network;
        DeviceArray<float> images;
        DeviceArray<int> labels;
        DeviceArray<float> loss;
    };
    using Collective = std::function<void(const Replica&, const Bucket&, ncclComm_t)>;

    [[nodiscard]] Replica makeReplica(const Options& options, int device) const;
    void scatter(const float* images, const int* labels);
    void replicate();
    void gather(const Replica& replica);
    void reduce();
    /// Uses one NCCL group for each bucket.
    void onEveryCommunicator(const Collective& collective);
    /// Runs `work` in one thread for each device. Returns when all have queued their work, and rethrows an
    /// exception of any of them.
    void onEveryDevice(const std::function<void(const Replica&)>& work);
    [[nodiscard]] Network& networkOf(const Replica& replica) const;
    [[nodiscard]] cudaStream_t streamOf(const Replica& replica) const;

    Network& m_first;
    cudaStream_t m_stream;
    unsigned m_batch;
    std::vector<Bucket> m_buckets;
    std::vector<Replica> m_replicas; ///< by device
    std::vector<Communicator> m_communicators;
    DeviceArray<float> m_gatheredLosses;
    Event m_scattered;
};

} // namespace ringside::trainer
