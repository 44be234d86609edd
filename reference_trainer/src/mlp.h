// SPDX-License-Identifier: Apache-2.0
// The model mlp: fully connected layers with ReLU between them, softmax cross entropy at the end.
// Parameters and gradients lie in two flat arrays in the order in which backward finishes them (last layer
// first, bias before weights), so that a gradient bucket is a plain range of memory.
#pragma once
#include "gpu.h"
#include "hooks.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ringside::trainer {

class Mlp final {
public:
    struct Shape {
        unsigned inputs = 0;
        unsigned hidden = 0;
        unsigned hiddenLayers = 0;
        unsigned classes = 0;
        unsigned maximumBatch = 0;
    };

    /// A parameter tensor as a range of the flat arrays.
    struct Tensor {
        std::size_t offset = 0;
        std::size_t count = 0;
    };

    Mlp(Shape shape, std::uint64_t seed, cudaStream_t stream);

    /// Logits of `batch` rows of images, on the stream.
    [[nodiscard]] float* forward(const float* images, unsigned batch, const Hooks& hooks);
    /// Loss of each row, mean loss to *mean, and all gradients of the mean; after forward with the same
    /// batch. `ready(index)` is called when the work for tensors()[index] is queued, in that order.
    void backward(const float* images, const int* labels, unsigned batch, float* mean, const Hooks& hooks,
                  const std::function<void(std::size_t)>& ready);

    [[nodiscard]] const std::vector<Tensor>& tensors() const { return m_tensors; }
    [[nodiscard]] const DeviceArray<float>& parameters() const { return m_parameters; }
    [[nodiscard]] const DeviceArray<float>& gradients() const { return m_gradients; }

private:
    struct Layer {
        unsigned inputs = 0;
        unsigned outputs = 0;
        std::size_t bias = 0; ///< offsets in the flat arrays
        std::size_t weights = 0;
        DeviceArray<float> output;
        DeviceArray<float> outputGradient;
    };

    void initialise(std::uint64_t seed);
    void weightGradients(const Layer& layer, const float* input, unsigned batch);
    void inputGradients(const Layer& layer, const Layer& before, unsigned batch);

    cudaStream_t m_stream;
    Blas m_blas;
    std::vector<Layer> m_layers;
    std::vector<Tensor> m_tensors;
    DeviceArray<float> m_parameters;
    DeviceArray<float> m_gradients;
    DeviceArray<float> m_losses;
};

} // namespace ringside::trainer
