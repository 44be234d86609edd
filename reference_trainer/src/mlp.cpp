// SPDX-License-Identifier: Apache-2.0
#include "mlp.h"

#include "kernels/kernels.h"
#include "random.h"

#include <cmath>

namespace ringside::trainer {
namespace {

/// A row-major matrix is a column-major one transposed: cuBLAS sees every matrix here as its transpose.
struct Gemm {
    cublasOperation_t left;
    cublasOperation_t right;
    unsigned rows;
    unsigned columns;
    unsigned depth;
};

struct Operand {
    const float* data;
    unsigned stride;
};

void multiply(cublasHandle_t blas, Gemm gemm, Operand left, Operand right, float* result)
{
    const float one = 1;
    const float zero = 0;
    RS_CHECK(cublasSgemm(blas, gemm.left, gemm.right, static_cast<int>(gemm.rows),
                         static_cast<int>(gemm.columns), static_cast<int>(gemm.depth), &one, left.data,
                         static_cast<int>(left.stride), right.data, static_cast<int>(right.stride), &zero,
                         result, static_cast<int>(gemm.rows)));
}

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

Mlp::Mlp(Shape shape, std::uint64_t seed, cudaStream_t stream)
    : m_stream(stream)
    , m_blas(makeBlas(stream))
    , m_layers(shape.hiddenLayers + 1)
    , m_losses(shape.maximumBatch)
{
    std::size_t total = 0;
    for (std::size_t i = m_layers.size(); i-- > 0;) {
        Layer& layer = m_layers[i];
        layer.inputs = i == 0 ? shape.inputs : shape.hidden;
        layer.outputs = i + 1 == m_layers.size() ? shape.classes : shape.hidden;
        layer.bias = total;
        layer.weights = layer.bias + layer.outputs;
        total = layer.weights + std::size_t{layer.inputs} * layer.outputs;
        m_tensors.push_back({.offset = layer.bias, .count = layer.outputs});
        m_tensors.push_back({.offset = layer.weights, .count = total - layer.weights});
        layer.output = DeviceArray<float>(std::size_t{layer.outputs} * shape.maximumBatch);
        layer.outputGradient = DeviceArray<float>(std::size_t{layer.outputs} * shape.maximumBatch);
    }
    m_parameters = DeviceArray<float>(total);
    m_gradients = DeviceArray<float>(total);
    initialise(seed);
}

void Mlp::initialise(std::uint64_t seed)
{
    std::vector<float> values(m_parameters.size(), 0.0F);
    Random random(seed);
    for (const Layer& layer : m_layers) {
        const float bound = std::sqrt(6.0F / static_cast<float>(layer.inputs)); // He, for ReLU
        for (std::size_t i = 0; i < std::size_t{layer.inputs} * layer.outputs; ++i)
            values[layer.weights + i] = random.uniform(-bound, bound);
    }
    RS_CHECK(cudaMemcpy(m_parameters.data(), values.data(), values.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
}

float* Mlp::forward(const float* images, unsigned batch, const Hooks& hooks)
{
    const float* input = images;
    for (const Layer& layer : m_layers) {
        float* output = layer.output.data();
        multiply(m_blas.get(), {CUBLAS_OP_T, CUBLAS_OP_N, layer.outputs, batch, layer.inputs},
                 {m_parameters.data() + layer.weights, layer.inputs}, {input, layer.inputs}, output);
        const auto activate = &layer == &m_layers.back() ? launch_bias_add : launch_bias_relu;
        RS_CHECK(activate(m_stream, batch * layer.outputs, output, m_parameters.data() + layer.bias,
                          layer.outputs));
        runAll(hooks.afterLayer, m_stream);
        input = output;
    }
    return m_layers.back().output.data();
}

void Mlp::weightGradients(const Layer& layer, const float* input, unsigned batch)
{
    const float* gradient = layer.outputGradient.data();
    RS_CHECK(launch_bias_gradient(m_stream, layer.outputs, gradient, m_gradients.data() + layer.bias, batch));
    multiply(m_blas.get(), {CUBLAS_OP_N, CUBLAS_OP_T, layer.inputs, layer.outputs, batch},
             {input, layer.inputs}, {gradient, layer.outputs}, m_gradients.data() + layer.weights);
}

void Mlp::inputGradients(const Layer& layer, const Layer& before, unsigned batch)
{
    float* result = before.outputGradient.data();
    multiply(m_blas.get(), {CUBLAS_OP_N, CUBLAS_OP_N, layer.inputs, batch, layer.outputs},
             {m_parameters.data() + layer.weights, layer.inputs},
             {layer.outputGradient.data(), layer.outputs}, result);
    RS_CHECK(launch_relu_backward(m_stream, batch * layer.inputs, result, before.output.data()));
}

void Mlp::backward(const float* images, const int* labels, unsigned batch, float* mean, const Hooks& hooks,
                   const std::function<void(std::size_t)>& ready)
{
    const Layer& last = m_layers.back();
    float* gradient = last.outputGradient.data();
    RS_CHECK(cudaMemcpyAsync(gradient, last.output.data(), std::size_t{batch} * last.outputs * sizeof(float),
                             cudaMemcpyDeviceToDevice, m_stream));
    RS_CHECK(launch_softmax_cross_entropy(m_stream, batch, gradient, labels, m_losses.data(), last.outputs));
    RS_CHECK(launch_mean_loss(m_stream, 1, m_losses.data(), batch, mean));
    std::size_t tensor = 0;
    for (std::size_t i = m_layers.size(); i-- > 0;) {
        weightGradients(m_layers[i], i == 0 ? images : m_layers[i - 1].output.data(), batch);
        ready(tensor++);
        ready(tensor++);
        if (i > 0)
            inputGradients(m_layers[i], m_layers[i - 1], batch);
        runAll(hooks.afterLayer, m_stream);
    }
}

} // namespace ringside::trainer
