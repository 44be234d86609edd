// SPDX-License-Identifier: Apache-2.0
#include "data_parallel.h"

#include "digits.h"
#include "kernels/kernels.h"
#include "models/models.h"
#include "nvtx_range.h"

#include <fmt/format.h>

#include <future>

namespace ringside::trainer {
namespace {

/// Bucket size of torch's replicate() and of its backward.
constexpr BucketLimits kAtOnce{.firstBytes = 10U << 20U, .bytes = 10U << 20U};
const Hooks kNoHooks;

/// Makes a device current, and restores the one before in its destructor.
class OnDevice final {
public:
    explicit OnDevice(int device)
    {
        RS_CHECK(cudaGetDevice(&m_before));
        RS_CHECK(cudaSetDevice(device));
    }
    ~OnDevice() { cudaSetDevice(m_before); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    int m_before = 0;
};

std::vector<Communicator> connectDevices(unsigned devices)
{
    std::vector<ncclComm_t> handles(devices);
    RS_CHECK(ncclCommInitAll(handles.data(), static_cast<int>(devices), nullptr));
    std::vector<Communicator> communicators;
    for (ncclComm_t handle : handles)
        communicators.emplace_back(handle);
    return communicators;
}

void checkDevices(unsigned wanted)
{
    int devices = 0;
    RS_CHECK(cudaGetDeviceCount(&devices));
    if (wanted > static_cast<unsigned>(devices))
        throw Failure(fmt::format("--devices {}: this host has {}; give at most that many", wanted, devices));
}

} // namespace

DataParallel::DataParallel(const Options& options, Network& first, cudaStream_t stream, unsigned batch)
    : m_first(first)
    , m_stream(stream)
    , m_batch(batch)
    , m_gatheredLosses(options.devices)
    , m_scattered(makeEvent())
{
    checkDevices(options.devices);
    std::vector<std::size_t> bytes;
    for (const Network::Tensor& tensor : first.tensors())
        bytes.push_back(tensor.count * sizeof(float));
    m_buckets = planBuckets(bytes, kAtOnce);
    for (unsigned device = 0; device < options.devices; ++device)
        m_replicas.push_back(makeReplica(options, static_cast<int>(device)));
    m_communicators = connectDevices(options.devices);
}

DataParallel::Replica DataParallel::makeReplica(const Options& options, int device) const
{
    const OnDevice current(device);
    Replica replica;
    replica.device = device;
    replica.loss = DeviceArray<float>(1);
    if (device == 0)
        return replica;
    replica.stream = makeStream();
    replica.network = std::make_unique<Network>(modelFor(options).layers, m_batch, options.seed,
                                                replica.stream.get(), options.checkpointActivations);
    const MemoryScope batches(MemoryUse::Batches);
    replica.images = DeviceArray<float>(std::size_t{m_batch} * kImagePixels);
    replica.labels = DeviceArray<int>(m_batch);
    return replica;
}

Network& DataParallel::networkOf(const Replica& replica) const
{
    return replica.device == 0 ? m_first : *replica.network;
}

cudaStream_t DataParallel::streamOf(const Replica& replica) const
{
    return replica.device == 0 ? m_stream : replica.stream.get();
}

void DataParallel::compute(const float* images, const int* labels, float* loss)
{
    const auto imagesOf = [&](const Replica& each) { return each.device == 0 ? images : each.images.data(); };
    const auto labelsOf = [&](const Replica& each) { return each.device == 0 ? labels : each.labels.data(); };
    {
        const NvtxRange forward("forward");
        scatter(images, labels);
        replicate();
        onEveryDevice([&](const Replica& each) {
            static_cast<void>(networkOf(each).forward(imagesOf(each), m_batch, kNoHooks));
        });
    }
    const NvtxRange backward("backward");
    onEveryDevice([&](const Replica& each) {
        networkOf(each).backward(imagesOf(each), labelsOf(each), m_batch, each.loss.data(), kNoHooks,
                                 [](std::size_t) {});
        gather(each);
    });
    reduce();
    RS_CHECK(launch_mean_loss(m_stream, 1, m_gatheredLosses.data(), static_cast<unsigned>(m_replicas.size()),
                              loss));
}

void DataParallel::scatter(const float* images, const int* labels)
{
    // The data that the shares overwrite have been read: the first stream has waited for the gradients
    // computed from them.
    for (const Replica& each : m_replicas) {
        if (each.device == 0)
            continue;
        const std::size_t first = static_cast<std::size_t>(each.device) * m_batch;
        RS_CHECK(cudaMemcpyPeerAsync(each.images.data(), each.device, images + first * kImagePixels, 0,
                                     each.images.size() * sizeof(float), m_stream));
        RS_CHECK(cudaMemcpyPeerAsync(each.labels.data(), each.device, labels + first, 0,
                                     each.labels.size() * sizeof(int), m_stream));
    }
    RS_CHECK(cudaEventRecord(m_scattered.get(), m_stream));
    for (const Replica& each : m_replicas)
        RS_CHECK(cudaStreamWaitEvent(streamOf(each), m_scattered.get(), 0));
}

void DataParallel::replicate()
{
    onEveryCommunicator([this](const Replica& each, const Bucket& bucket, ncclComm_t communicator) {
        float* const parameters =
            networkOf(each).parameters().data() + m_first.tensors()[bucket.first].offset;
        RS_CHECK(ncclBroadcast(parameters, parameters, bucket.bytes / sizeof(float), ncclFloat, 0,
                               communicator, streamOf(each)));
    });
}

void DataParallel::gather(const Replica& replica)
{
    // Before the gradients on the same stream, for which the first stream waits.
    RS_CHECK(cudaMemcpyPeerAsync(m_gatheredLosses.data() + replica.device, 0, replica.loss.data(),
                                 replica.device, sizeof(float), streamOf(replica)));
}

void DataParallel::reduce()
{
    onEveryCommunicator([this](const Replica& each, const Bucket& bucket, ncclComm_t communicator) {
        float* const gradients = networkOf(each).gradients().data() + m_first.tensors()[bucket.first].offset;
        RS_CHECK(ncclReduce(gradients, gradients, bucket.bytes / sizeof(float), ncclFloat, ncclSum, 0,
                            communicator, streamOf(each)));
    });
}

void DataParallel::onEveryCommunicator(const Collective& collective)
{
    for (const Bucket& bucket : m_buckets) {
        RS_CHECK(ncclGroupStart());
        for (std::size_t i = 0; i < m_replicas.size(); ++i)
            collective(m_replicas[i], bucket, m_communicators[i].get());
        RS_CHECK(ncclGroupEnd());
    }
}

void DataParallel::onEveryDevice(const std::function<void(const Replica&)>& work)
{
    std::vector<std::future<void>> running;
    for (const Replica& each : m_replicas)
        running.push_back(std::async(std::launch::async, [&work, &each] {
            RS_CHECK(cudaSetDevice(each.device));
            work(each);
        }));
    for (std::future<void>& each : running)
        each.get();
}

} // namespace ringside::trainer
