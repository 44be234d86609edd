// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include "kernels/kernels.h"
#include "random.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::trainer {
namespace {

Blas makeBlas(cudaStream_t stream)
{
    cublasHandle_t handle = nullptr;
    RS_CHECK(cublasCreate(&handle));
    Blas blas(handle);
    RS_CHECK(cublasSetStream(handle, stream));
    return blas;
}

void runAll(const std::vector<std::function<void(cudaStream_t)>>& hooks, cudaStream_t stream)
{
    for (const auto& hook : hooks)
        hook(stream);
}

} // namespace

Network::Network(Layers layers, unsigned maximumBatch, std::uint64_t seed, cudaStream_t stream,
                 unsigned layersASegment, std::string_view precision)
    : m_layers(std::move(layers))
    , m_blas(makeBlas(stream))
    , m_queue{.stream = stream, .blas = m_blas.get()}
    , m_layersASegment(layersASegment)
{
    checkSizes(maximumBatch);
    place();
    allocate(maximumBatch);
    initialise(seed);
    if (precision != "fp32") {
        m_halves = std::make_unique<HalfCopies>(precision, m_parameters, largestFactor(maximumBatch));
        m_queue.halves = m_halves.get();
    }
}

void Network::allocate(unsigned maximumBatch)
{
    const MemoryScope activations(MemoryUse::Activations);
    m_losses = DeviceArray<float>(maximumBatch);
    if (m_layersASegment > 0) {
        allocateSegments(maximumBatch);
        return;
    }
    for (const auto& layer : m_layers)
        layer->allocate(maximumBatch);
}

void Network::allocateSegments(unsigned maximumBatch)
{
    checkSegments();
    std::size_t bytes = 0;
    std::size_t outputs = 0;
    for (std::size_t first = 0; first < m_layers.size(); first += m_layersASegment) {
        MemoryArena measured(nullptr);
        allocateLayers(first, maximumBatch);
        bytes = std::max(bytes, measured.bytes());
    }
    m_segmentMemory = DeviceArray<std::byte>(bytes);
    for (std::size_t first = 0; first < m_layers.size(); first += m_layersASegment) {
        const MemoryArena arena(m_segmentMemory.data());
        allocateLayers(first, maximumBatch);
    }
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        if (!endsSegment(i))
            continue;
        m_kept.emplace_back(m_layers[i]->output().size());
        outputs = std::max(outputs, m_layers[i]->output().size());
    }
    m_keptGradient = DeviceArray<float>(outputs);
}

void Network::checkSegments() const
{
    if (m_layersASegment >= m_layers.size())
        throw Failure(
            fmt::format("--checkpoint-activations {} would keep everything: the model has {} layers; "
                        "give less than that",
                        m_layersASegment, m_layers.size()));
    if (!cutsResidual(m_layersASegment))
        return;
    std::vector<unsigned> fitting;
    for (unsigned layers = 1; layers < m_layers.size(); ++layers) {
        if (!cutsResidual(layers))
            fitting.push_back(layers);
    }
    throw Failure(fmt::format("--checkpoint-activations {} would cut a residual connection, both ends of "
                              "which must be in memory; this model can be cut after each {} layers",
                              m_layersASegment, fmt::join(fitting, ", ")));
}

bool Network::cutsResidual(unsigned layersASegment) const
{
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const std::size_t first = i - m_layers[i]->shape().residualOver;
        if (first / layersASegment != i / layersASegment)
            return true;
    }
    return false;
}

void Network::allocateLayers(std::size_t first, unsigned maximumBatch)
{
    const std::size_t last = std::min(first + m_layersASegment, m_layers.size());
    for (std::size_t i = first; i < last; ++i)
        m_layers[i]->allocate(maximumBatch);
}

bool Network::endsSegment(std::size_t index) const
{
    return m_layersASegment > 0 && (index + 1) % m_layersASegment == 0 && index + 1 < m_layers.size();
}

const float* Network::inputOf(std::size_t index, const float* images) const
{
    if (index == 0)
        return images;
    return endsSegment(index - 1) ? m_kept[index / m_layersASegment - 1].data()
                                  : m_layers[index - 1]->output().data();
}

float* Network::outputGradientOf(std::size_t index) const
{
    return endsSegment(index) ? m_keptGradient.data() : m_layers[index]->outputGradient().data();
}

std::size_t Network::largestFactor(unsigned maximumBatch) const
{
    std::size_t largest = 0;
    for (const auto& layer : m_layers)
        largest = std::max(largest, layer->shape().largest);
    return largest * maximumBatch;
}

void Network::checkSizes(unsigned maximumBatch) const
{
    // cuBLAS counts in int.
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
    std::size_t parameters = 0;
    for (const auto& layer : m_layers) {
        const Layer::Shape shape = layer->shape();
        parameters += shape.bias + shape.weights;
        if (shape.largest > kMost / maximumBatch)
            throw Failure(
                fmt::format("a layer would work on {} values a sample, times {} samples a rank: more "
                            "than {}; give a smaller --batch or more ranks",
                            shape.largest, maximumBatch, kMost));
    }
    if (parameters > kMost)
        throw Failure(fmt::format("the model would have {} parameters, more than {}; give a smaller --hidden",
                                  parameters, kMost));
}

void Network::place()
{
    std::size_t total = 0;
    m_places.resize(m_layers.size());
    for (std::size_t i = m_layers.size(); i-- > 0;) {
        const Layer::Shape shape = m_layers[i]->shape();
        m_places[i] = {.bias = {.offset = total, .count = shape.bias},
                       .weights = {.offset = total + shape.bias, .count = shape.weights}};
        for (const Tensor& tensor : {m_places[i].bias, m_places[i].weights}) {
            if (tensor.count > 0)
                m_tensors.push_back(tensor);
        }
        total += shape.bias + shape.weights;
    }
    {
        const MemoryScope parameters(MemoryUse::Parameters);
        m_parameters = DeviceArray<float>(total);
    }
    const MemoryScope gradients(MemoryUse::Gradients);
    m_gradients = DeviceArray<float>(total);
}

Layer::Parameters Network::parametersOf(std::size_t layer) const
{
    const std::size_t bias = m_places[layer].bias.offset;
    const std::size_t weights = m_places[layer].weights.offset;
    return {.bias = m_parameters.data() + bias,
            .weights = m_parameters.data() + weights,
            .biasGradient = m_gradients.data() + bias,
            .weightGradient = m_gradients.data() + weights};
}

void Network::initialise(std::uint64_t seed)
{
    std::vector<float> values(m_parameters.size(), 0.0F);
    Random random(seed);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const std::size_t fanIn = m_layers[i]->shape().fanIn;
        if (fanIn == 0)
            continue;
        const float bound = std::sqrt(6.0F / static_cast<float>(fanIn)); // He initialisation, for ReLU
        const Tensor& weights = m_places[i].weights;
        for (std::size_t k = 0; k < weights.count; ++k)
            values[weights.offset + k] = random.uniform(-bound, bound);
    }
    RS_CHECK(cudaMemcpy(m_parameters.data(), values.data(), values.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
}

float* Network::forward(const float* images, unsigned batch, const Hooks& hooks)
{
    if (m_halves)
        m_halves->refresh(m_queue.stream);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        forwardLayer(i, images, batch);
        runAll(hooks.afterLayer, m_queue.stream);
        if (endsSegment(i))
            RS_CHECK(cudaMemcpyAsync(m_kept[i / m_layersASegment].data(), m_layers[i]->output().data(),
                                     batch * m_layers[i]->shape().outputs * sizeof(float),
                                     cudaMemcpyDeviceToDevice, m_queue.stream));
    }
    return m_layers.back()->output().data();
}

void Network::forwardLayer(std::size_t layer, const float* images, unsigned batch)
{
    Layer& each = *m_layers[layer];
    each.forward(m_queue, parametersOf(layer), inputOf(layer, images), batch);
    const Layer::Shape shape = each.shape();
    if (shape.residualOver > 0)
        RS_CHECK(launch_accumulate(m_queue.stream, static_cast<unsigned>(batch * shape.outputs),
                                   each.output().data(), inputOf(layer - shape.residualOver, images)));
}

void Network::computeAgain(std::size_t last, const float* images, unsigned batch, const Hooks& hooks)
{
    for (std::size_t i = last + 1 - m_layersASegment; i <= last; ++i) {
        forwardLayer(i, images, batch);
        runAll(hooks.afterLayer, m_queue.stream);
    }
    const Layer& layer = *m_layers[last];
    RS_CHECK(cudaMemcpyAsync(layer.outputGradient().data(), m_keptGradient.data(),
                             batch * layer.shape().outputs * sizeof(float), cudaMemcpyDeviceToDevice,
                             m_queue.stream));
}

void Network::startBackward(const int* labels, unsigned batch, float* mean)
{
    const Layer& last = *m_layers.back();
    const std::size_t classes = last.shape().outputs;
    float* gradient = last.outputGradient().data();
    RS_CHECK(cudaMemcpyAsync(gradient, last.output().data(), batch * classes * sizeof(float),
                             cudaMemcpyDeviceToDevice, m_queue.stream));
    RS_CHECK(launch_softmax_cross_entropy(m_queue.stream, batch, gradient, labels, m_losses.data(),
                                          static_cast<unsigned>(classes)));
    RS_CHECK(launch_mean_loss(m_queue.stream, 1, m_losses.data(), batch, mean));
    if (m_lossScale != 1)
        RS_CHECK(cublasSscal(m_queue.blas, static_cast<int>(batch * classes), &m_lossScale, gradient, 1));
}

void Network::backward(const float* images, const int* labels, unsigned batch, float* mean,
                       const Hooks& hooks, const std::function<void(std::size_t)>& ready)
{
    startBackward(labels, batch, mean);
    std::size_t tensor = 0;
    for (std::size_t i = m_layers.size(); i-- > 0;) {
        if (endsSegment(i))
            computeAgain(i, images, batch, hooks);
        m_layers[i]->parameterGradients(m_queue, parametersOf(i), inputOf(i, images), batch);
        for (const Tensor& finished : {m_places[i].bias, m_places[i].weights}) {
            if (finished.count > 0)
                ready(tensor++);
        }
        if (i > 0)
            backwardInto(i, images, batch);
        runAll(hooks.afterLayer, m_queue.stream);
    }
}

void Network::backwardInto(std::size_t layer, const float* images, unsigned batch)
{
    const Layer::Shape before = m_layers[layer - 1]->shape();
    float* const gradient = outputGradientOf(layer - 1);
    const auto values = static_cast<unsigned>(batch * before.outputs);
    m_layers[layer]->inputGradients(m_queue, parametersOf(layer), gradient, batch);
    // The gradients of residual connections that begin at this layer's input are added unchanged.
    for (std::size_t later = layer; later < m_layers.size(); ++later) {
        if (m_layers[later]->shape().residualOver == later - layer && later > layer)
            RS_CHECK(launch_accumulate(m_queue.stream, values, gradient,
                                       m_layers[later]->outputGradient().data()));
    }
    if (before.activation == Activation::Relu)
        RS_CHECK(launch_relu_backward(m_queue.stream, values, gradient, inputOf(layer, images)));
}

} // namespace ringside::trainer
