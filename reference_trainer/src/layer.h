// SPDX-License-Identifier: Apache-2.0
// A layer of a network, with weights and a bias. A layer computes on a stream; the network decides where its
// parameters are and in which order its gradients are reduced.
#pragma once
#include "gpu.h"

#include <cstddef>

namespace ringside::trainer {

class HalfCopies;

/// The stream on which work is queued, and the means for matrix products.
struct Queue {
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr; ///< on the same stream
    HalfCopies* halves = nullptr;  ///< copies that products read; null: they read their factors
};

/// The activation at the end of a layer.
enum class Activation { Relu, None };

class Layer {
public:
    struct Shape {
        std::size_t inputs = 0; ///< values per sample, as for all members but fanIn
        std::size_t outputs = 0;
        std::size_t largest = 0; ///< the largest array that the layer works on
        std::size_t bias = 0;    ///< parameters, which begin at 0
        std::size_t weights = 0;
        std::size_t fanIn = 0; ///< number of inputs that one output sums up; 0: weights begin at 0
        Activation activation = Activation::None;
        /// the input of the layer this many layers before is added to the output; 0: none
        unsigned residualOver = 0;
    };
    /// The layer's parts of the network's flat arrays.
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
    /// Allocates memory for up to `batch` samples. Called once, before the work.
    virtual void allocate(unsigned batch) = 0;
    /// Reads `batch` samples, writes output().
    virtual void forward(const Queue& queue, const Parameters& parameters, const float* input,
                         unsigned batch) = 0;
    /// Computes the gradients of weights and bias from outputGradient(), taken before activation and
    /// residual, and from the input of the same forward.
    virtual void parameterGradients(const Queue& queue, const Parameters& parameters, const float* input,
                                    unsigned batch) = 0;
    /// Computes the gradient of the input. Called after parameterGradients.
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
