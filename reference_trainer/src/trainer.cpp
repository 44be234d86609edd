// SPDX-License-Identifier: Apache-2.0
#include "trainer.h"

#include "digits.h"
#include "kernels/kernels.h"
#include "models/models.h"
#include "nvtx_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ringside::trainer {
namespace {

Loader::Plan loaderPlan(const Options& options, const RankIdentity& identity, unsigned localBatch, int device)
{
    return {.sampler = DistributedSampler({.samples = options.samples,
                                           .globalBatch = options.batch,
                                           .rank = identity.rank,
                                           .worldSize = identity.worldSize,
                                           .seed = options.seed}),
            .seed = options.seed,
            .steps = options.steps,
            .localBatch = localBatch,
            .device = device,
            .workers = options.workers};
}

std::string deviceName(int device)
{
    cudaDeviceProp properties{};
    RS_CHECK(cudaGetDeviceProperties(&properties, device));
    return properties.name;
}

std::vector<float> toHost(const DeviceArray<float>& array)
{
    std::vector<float> values(array.size());
    RS_CHECK(cudaMemcpy(values.data(), array.data(), values.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
}

/// Replaces the values of each rank by their reduction and waits for it. Without a communicator, values stay
/// unchanged.
template <class T, std::size_t Count>
void overAllRanks(T (&values)[Count], ncclDataType_t type, ncclRedOp_t reduction, ncclComm_t communicator,
                  cudaStream_t stream)
{
    if (communicator == nullptr)
        return;
    const DeviceArray<T> reduced(Count);
    RS_CHECK(cudaMemcpy(reduced.data(), values, sizeof values, cudaMemcpyHostToDevice));
    RS_CHECK(ncclAllReduce(reduced.data(), reduced.data(), Count, type, reduction, communicator, stream));
    RS_CHECK(cudaStreamSynchronize(stream));
    RS_CHECK(cudaMemcpy(values, reduced.data(), sizeof values, cudaMemcpyDeviceToHost));
}

/// Returns means of each `length` consecutive values.
std::vector<float> meansOf(const std::vector<float>& values, unsigned length)
{
    std::vector<float> means;
    for (std::size_t i = 0; i < values.size(); i += length)
        means.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i),
                                        values.begin() + static_cast<std::ptrdiff_t>(i + length), 0.0F) /
                        static_cast<float>(length));
    return means;
}

} // namespace

Trainer::Trainer(const Options& options, const RankIdentity& identity, int device, const Hooks& hooks,
                 ncclComm_t communicator, Watchdog& watchdog)
    : m_options(options)
    , m_identity(identity)
    , m_hooks(hooks)
    , m_device(device)
    , m_communicator(communicator)
    , m_watchdog(watchdog)
    , m_localBatch(options.batch / identity.worldSize)
    , m_partBatch(m_localBatch / options.accumulate)
    , m_deviceBatch(m_partBatch / options.devices)
    , m_stream(makeStream())
    , m_network(modelFor(options).layers, m_deviceBatch, options.seed, m_stream.get(),
                options.checkpointActivations, options.precision)
    , m_optimizer(makeOptimizer(options, m_network.parameters().size()))
    , m_losses(std::size_t{options.steps} * options.accumulate)
    , m_loader(loaderPlan(options, identity, m_localBatch, device), hooks)
{
    if (options.precision == "fp16") {
        m_lossScale = LossScale(options.lossScale, options.lossScaleInterval);
        m_network.setLossScale(m_lossScale->value());
        m_overflow.emplace();
    }
    if (communicator != nullptr)
        m_reducer =
            std::make_unique<GradientReducer>(options, m_network, communicator, m_stream.get(), hooks);
    if (options.devices > 1) {
        m_dataParallel = std::make_unique<DataParallel>(options, m_network, m_stream.get(), m_deviceBatch);
        m_watchdog.watch(m_dataParallel->firstCommunicator());
    }
    const MemoryScope sums(MemoryUse::Gradients);
    if (options.accumulate > 1)
        m_sums = DeviceArray<float>(m_network.gradients().size());
}

TrainingResult Trainer::run()
{
    prepare();
    for (std::uint64_t number = 1; number <= m_options.steps; ++number)
        step(number);
    RS_CHECK(cudaStreamSynchronize(m_stream.get()));
    TrainingResult result;
    result.device = deviceName(m_device);
    result.losses = meansOf(toHost(m_losses), m_options.accumulate);
    result.stepMs = stepTimes();
    result.parameters = toHost(m_network.parameters());
    if (m_reducer) {
        for (const Bucket& bucket : m_reducer->buckets())
            result.bucketBytes.push_back(bucket.bytes);
    }
    result.memory = memory();
    result.lossScale = m_lossScale;
    result.accuracy = accuracy();
    return result;
}

void Trainer::prepare()
{
    m_watchdog.progress("the first broadcast");
    const DeviceArray<float>& parameters = m_network.parameters();
    if (m_communicator != nullptr)
        RS_CHECK(ncclBroadcast(parameters.data(), parameters.data(), parameters.size(), ncclFloat, 0,
                               m_communicator, m_stream.get()));
    for (const auto& hook : m_hooks.beforeTraining)
        hook(m_stream.get());
    RS_CHECK(cudaStreamSynchronize(m_stream.get()));
    recordStepEnd();
}

void Trainer::recordStepEnd()
{
    m_stepEnds.push_back(makeTimingEvent());
    RS_CHECK(cudaEventRecord(m_stepEnds.back().get(), m_stream.get()));
}

void Trainer::step(std::uint64_t number)
{
    m_watchdog.progress("training", number);
    const NvtxRange range(fmt::format("ProfilerStep#{}", number).c_str());
    const Batch batch = [this] {
        const NvtxRange data("data");
        return m_loader.next(m_stream.get());
    }();
    for (unsigned part = 0; part < m_options.accumulate; ++part)
        computePart(batch, number, part);
    optimize();
    recordStepEnd();
    for (const auto& hook : m_hooks.afterStep)
        hook(number, m_stream.get());
    reportProgress(number);
}

void Trainer::computePart(const Batch& batch, std::uint64_t number, unsigned part)
{
    const bool last = part + 1 == m_options.accumulate;
    const float* const images = batch.images + std::size_t{part} * m_partBatch * kImagePixels;
    const int* const labels = batch.labels + std::size_t{part} * m_partBatch;
    float* const loss = m_losses.data() + ((number - 1) * m_options.accumulate + part);
    if (m_dataParallel)
        m_dataParallel->compute(images, labels, loss);
    else
        computeHere(images, labels, loss, last);
    if (last)
        m_loader.release(batch, m_stream.get());
    if (m_reducer && (last || m_hooks.reduceEveryPart))
        m_reducer->finish();
    if (!last)
        keepGradients(part);
    else if (!m_reducer || m_hooks.reduceEveryPart)
        addKept(0, m_network.gradients().size());
}

void Trainer::computeHere(const float* images, const int* labels, float* loss, bool last)
{
    {
        const NvtxRange forward("forward");
        static_cast<void>(m_network.forward(images, m_deviceBatch, m_hooks));
        for (const auto& hook : m_hooks.afterForward)
            hook(m_stream.get());
    }
    const NvtxRange backward("backward");
    m_network.backward(images, labels, m_deviceBatch, loss, m_hooks,
                       [this, last](std::size_t tensor) { gradientReady(tensor, last); });
}

void Trainer::gradientReady(std::size_t tensor, bool last)
{
    if (!m_reducer || (!last && !m_hooks.reduceEveryPart))
        return;
    if (!m_hooks.reduceEveryPart) { // otherwise the kept gradients have been reduced already
        const auto& [offset, count] = m_network.tensors()[tensor];
        addKept(offset, count);
    }
    m_reducer->ready(tensor);
}

void Trainer::addKept(std::size_t offset, std::size_t count)
{
    if (m_sums.size() > 0)
        RS_CHECK(launch_accumulate(m_stream.get(), static_cast<unsigned>(count),
                                   m_network.gradients().data() + offset, m_sums.data() + offset));
}

void Trainer::keepGradients(unsigned part)
{
    const DeviceArray<float>& gradients = m_network.gradients();
    if (part == 0)
        RS_CHECK(cudaMemcpyAsync(m_sums.data(), gradients.data(), gradients.size() * sizeof(float),
                                 cudaMemcpyDeviceToDevice, m_stream.get()));
    else
        RS_CHECK(launch_accumulate(m_stream.get(), static_cast<unsigned>(gradients.size()), m_sums.data(),
                                   gradients.data()));
}

// Checked after the reduction: an overflow on one rank makes the sums of all ranks infinite or NaN, so that
// all ranks decide alike.
bool Trainer::gradientsAreUsable()
{
    if (!m_lossScale)
        return true;
    const bool overflowed = m_overflow->overflowed(m_stream.get(), m_network.gradients());
    m_lossScale->update(overflowed);
    m_network.setLossScale(m_lossScale->value());
    return !overflowed;
}

void Trainer::optimize()
{
    const NvtxRange optimizer("optimizer");
    const float lossScale = m_network.lossScale();
    if (!gradientsAreUsable())
        return;
    m_optimizer->step(
        m_stream.get(),
        {.parameters = m_network.parameters().data(), .gradients = m_network.gradients().data()},
        1.0F / (static_cast<float>(devicesInAll(m_options, m_identity.worldSize) * m_options.accumulate) *
                lossScale));
}

void Trainer::reportProgress(std::uint64_t number)
{
    // Prints no loss: reading it would make the host wait for the GPU inside the loop.
    constexpr std::uint64_t kEvery = 100;
    if (m_identity.rank == 0 && number % kEvery == 0 && number < m_options.steps)
        fmt::print(stderr, "step {} of {}\n", number, m_options.steps);
}

std::vector<double> Trainer::stepTimes() const
{
    std::vector<double> times;
    for (std::size_t i = std::min(m_options.warmup, m_options.steps); i < m_options.steps; ++i) {
        float ms = 0;
        RS_CHECK(cudaEventElapsedTime(&ms, m_stepEnds[i].get(), m_stepEnds[i + 1].get()));
        times.push_back(static_cast<double>(ms));
    }
    return times;
}

TrainingMemory Trainer::memory() const
{
    const MemoryBytes ofFirst = memoryUsage(m_device).peak; // read before the reduction allocates memory
    // The maximum of the complement is the minimum.
    std::uint64_t extremes[2] = {0, 0};
    for (unsigned i = 0; i < m_options.devices; ++i) {
        const std::uint64_t peak = memoryUsage(m_device + static_cast<int>(i)).peak.total;
        extremes[0] = std::max(extremes[0], peak);
        extremes[1] = std::max(extremes[1], ~peak);
    }
    overAllRanks(extremes, ncclUint64, ncclMax, m_communicator, m_stream.get());
    return {.ofFirst = ofFirst, .least = ~extremes[1], .most = extremes[0]};
}

std::optional<double> Trainer::accuracy()
{
    if (m_options.eval == 0)
        return std::nullopt;
    DeviceArray<float> images(std::size_t{m_deviceBatch} * kImagePixels);
    std::vector<float> pixels(images.size());
    std::vector<float> logits(std::size_t{m_deviceBatch} * kDigitClasses);
    float counts[2] = {0, 0}; // correct ones, all
    for (std::uint64_t first = m_identity.rank; first < m_options.eval;
         first += std::uint64_t{m_deviceBatch} * m_identity.worldSize) {
        m_watchdog.progress("the evaluation", m_options.steps);
        std::vector<int> labels;
        for (std::uint64_t i = first; i < m_options.eval && labels.size() < m_deviceBatch;
             i += m_identity.worldSize)
            labels.push_back(
                drawDigit(m_options.seed, kHeldOutBegin + i,
                          std::span(pixels).subspan(labels.size() * kImagePixels, kImagePixels)));
        // Uses the network's stream throughout, because a non-blocking stream does not wait for the default
        // one.
        RS_CHECK(cudaMemcpyAsync(images.data(), pixels.data(), pixels.size() * sizeof(float),
                                 cudaMemcpyHostToDevice, m_stream.get()));
        const float* output = m_network.forward(images.data(), m_deviceBatch, Hooks{});
        RS_CHECK(cudaMemcpyAsync(logits.data(), output, logits.size() * sizeof(float), cudaMemcpyDeviceToHost,
                                 m_stream.get()));
        RS_CHECK(cudaStreamSynchronize(m_stream.get()));
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const auto row = std::span(logits).subspan(i * kDigitClasses, kDigitClasses);
            counts[0] += std::ranges::max_element(row) - row.begin() == labels[i] ? 1.0F : 0.0F;
        }
        counts[1] += static_cast<float>(labels.size());
    }
    overAllRanks(counts, ncclFloat, ncclSum, m_communicator, m_stream.get());
    return static_cast<double>(counts[0] / counts[1]);
}

} // namespace ringside::trainer
