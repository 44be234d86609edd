// SPDX-License-Identifier: Apache-2.0
// What a network is made of: layers with weights and a bias. A layer computes, on a stream; where its
// parameters lie and in which order its gradients are reduced is the network's business.
#pragma once
#include "gpu.h"

#include <cstddef>

namespace ringside::trainer {

class HalfCopies;

/// Where work is queued, and how matrix products are computed.
struct Queue {
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr; ///< on the same stream
    HalfCopies* halves = nullptr;  ///< what products read; null: their factors themselves
};

/// How a layer ends.
enum class Activation { Relu, None };

class Layer {
public:
    struct Shape {
        std::size_t inputs = 0; ///< values a sample, as all here but fanIn
        std::size_t outputs = 0;
        std::size_t largest = 0; ///< of all arrays the layer works on
        std::size_t bias = 0;    ///< parameters, which begin at 0
        std::size_t weights = 0;
        std::size_t fanIn = 0; ///< inputs that one output sums up; 0: weights begin at 0
        Activation activation = Activation::None;
        unsigned residualOver = 0; ///< the input of the layer so many before is added to the output; 0: none
    };
    /// The layer's places in the network's flat arrays.
    struct Parameters {
        const float* bias = nullptr;
        const float* weights = nullptr;
        float* biasGradient = nullptr;
        float* weightGradient = nullptr;
    };

    Layer() = default;
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;
    virtual ~Layer() = default;

    [[nodiscard]] virtual Shape shape() const = 0;
    /// Once, before the work: memory for up to `batch` samples.
    virtual void allocate(unsigned batch) = 0;
    /// Reads `batch` samples, writes output().
    virtual void forward(const Queue& queue, const Parameters& parameters, const float* input,
                         unsigned batch) = 0;
    /// From outputGradient(), before activation and residual, and the input of the same forward: the
    /// gradients of weights and bias.
    virtual void parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                                    unsigned batch) = 0;
    /// After parameterGradients: the gradient of the input.
    virtual void inputGradients(const Queue& queue, const Parameters& parameters, float* inputGradient,
                                unsigned batch) = 0;

    [[nodiscard]] const DeviceArray<float>& output() const { return m_output; }
    [[nodiscard]] const DeviceArray<float>& outputGradient() const { return m_outputGradient; }

protected:
    void allocateOutput(unsigned batch)
    {
        m_output = DeviceArray<float>(shape().outputs * batch);
        m_outputGradient = DeviceArray<float>(shape().outputs * batch);
    }

private:
    DeviceArray<float> m_output;
    DeviceArray<float> m_outputGradient;
};

} // namespace ringside::trainer
