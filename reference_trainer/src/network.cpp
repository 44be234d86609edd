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
    for (std::size_t i = m_layers.size(); i-- > 0;) {
        const Layer::Shape shape = m_layers[i]->shape();
        for (const std::size_t count : {shape.bias, shape.weights}) {
            m_tensors.push_back({.offset = total, .count = count});
            total += count;
        }
    }
    m_parameters = DeviceArray<float>(total);
    m_gradients = DeviceArray<float>(total);
}

Layer::Parameters Network::parametersOf(std::size_t layer) const
{
    const std::size_t first = 2 * (m_layers.size() - 1 - layer);
    const std::size_t bias = m_tensors[first].offset;
    const std::size_t weights = m_tensors[first + 1].offset;
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
        const float bound = std::sqrt(6.0F / static_cast<float>(m_layers[i]->shape().fanIn)); // He, for ReLU
        const Tensor& weights = m_tensors[2 * (m_layers.size() - 1 - i) + 1];
        for (std::size_t k = 0; k < weights.count; ++k)
            values[weights.offset + k] = random.uniform(-bound, bound);
    }
    RS_CHECK(cudaMemcpy(m_parameters.data(), values.data(), values.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
}

float* Network::forward(const float* images, unsigned batch, const Hooks& hooks)
{
    const float* input = images;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        m_layers[i]->forward(m_queue, parametersOf(i), input, batch);
        runAll(hooks.afterLayer, m_queue.stream);
        input = m_layers[i]->output().data();
    }
    return m_layers.back()->output().data();
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
        const Layer::Parameters parameters = parametersOf(i);
        m_layers[i]->parameterGradients(m_queue, parameters,
                                        i == 0 ? images : m_layers[i - 1]->output().data(), batch);
        ready(tensor++);
        ready(tensor++);
        if (i > 0) {
            const Layer& before = *m_layers[i - 1];
            float* gradient = before.outputGradient().data();
            m_layers[i]->inputGradients(m_queue, parameters, gradient, batch);
            RS_CHECK(launch_relu_backward(m_queue.stream,
                                          static_cast<unsigned>(batch * before.shape().outputs), gradient,
                                          before.output().data()));
        }
        runAll(hooks.afterLayer, m_queue.stream);
    }
}

} // namespace ringside::trainer
