// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include "kernels/kernels.h"
#include "random.h"

#include <fmt/format.h>

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

Network::Network(Layers layers, unsigned maximumBatch, std::uint64_t seed, cudaStream_t stream)
    : m_layers(std::move(layers)), m_blas(makeBlas(stream)), m_queue{.stream = stream, .blas = m_blas.get()}
{
    checkSizes(maximumBatch);
    place();
    const MemoryScope activations(MemoryUse::Activations);
    for (const auto& layer : m_layers)
        layer->allocate(maximumBatch);
    m_losses = DeviceArray<float>(maximumBatch);
    initialise(seed);
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
        const float bound = std::sqrt(6.0F / static_cast<float>(fanIn)); // He, for ReLU
        const Tensor& weights = m_places[i].weights;
        for (std::size_t k = 0; k < weights.count; ++k)
            values[weights.offset + k] = random.uniform(-bound, bound);
    }
    RS_CHECK(cudaMemcpy(m_parameters.data(), values.data(), values.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
}

float* Network::forward(const float* images, unsigned batch, const Hooks& hooks)
{
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        forwardLayer(i, images, batch);
        runAll(hooks.afterLayer, m_queue.stream);
    }
    return m_layers.back()->output().data();
}

const float* Network::inputOf(std::size_t layer, const float* images) const
{
    return layer == 0 ? images : m_layers[layer - 1]->output().data();
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
}

void Network::backward(const float* images, const int* labels, unsigned batch, float* mean,
                       const Hooks& hooks, const std::function<void(std::size_t)>& ready)
{
    startBackward(labels, batch, mean);
    std::size_t tensor = 0;
    for (std::size_t i = m_layers.size(); i-- > 0;) {
        m_layers[i]->parameterGradients(m_queue, parametersOf(i), inputOf(i, images), batch);
        for (const Tensor& finished : {m_places[i].bias, m_places[i].weights}) {
            if (finished.count > 0)
                ready(tensor++);
        }
        if (i > 0)
            backwardInto(i, batch);
        runAll(hooks.afterLayer, m_queue.stream);
    }
}

void Network::backwardInto(std::size_t layer, unsigned batch)
{
    const Layer& before = *m_layers[layer - 1];
    float* const gradient = before.outputGradient().data();
    const auto values = static_cast<unsigned>(batch * before.shape().outputs);
    m_layers[layer]->inputGradients(m_queue, parametersOf(layer), gradient, batch);
    // What this layer got went around it and others, too: its gradient comes back from there unchanged.
    for (std::size_t later = layer; later < m_layers.size(); ++later) {
        if (m_layers[later]->shape().residualOver == later - layer && later > layer)
            RS_CHECK(launch_accumulate(m_queue.stream, values, gradient,
                                       m_layers[later]->outputGradient().data()));
    }
    if (before.shape().activation == Activation::Relu)
        RS_CHECK(launch_relu_backward(m_queue.stream, values, gradient, before.output().data()));
}

} // namespace ringside::trainer
