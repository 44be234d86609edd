// SPDX-License-Identifier: Apache-2.0
// A network of layers with softmax cross entropy at the end; which layers, a model's file says (models/).
// Parameters and gradients lie in two flat arrays in the order in which backward finishes them (last layer
// first, bias before weights), so that a gradient bucket is a plain range of memory.
#pragma once
#include "hooks.h"
#include "layer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ringside::trainer {

using Layers = std::vector<std::unique_ptr<Layer>>;

class Network final {
public:
    /// A parameter tensor as a range of the flat arrays.
    struct Tensor {
        std::size_t offset = 0;
        std::size_t count = 0;
    };

    /// For batches of up to `maximumBatch`. Throws Failure when an array would have more elements than a
    /// kernel launch or cuBLAS can count.
    Network(Layers layers, unsigned maximumBatch, std::uint64_t seed, cudaStream_t stream);

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
    /// A layer's tensors; one without elements is none.
    struct Place {
        Tensor bias;
        Tensor weights;
    };

    void checkSizes(unsigned maximumBatch) const;
    void place();
    void initialise(std::uint64_t seed);
    void startBackward(const int* labels, unsigned batch, float* mean);
    [[nodiscard]] Layer::Parameters parametersOf(std::size_t layer) const;
    [[nodiscard]] const float* inputOf(std::size_t layer, const float* images) const;
    void forwardLayer(std::size_t layer, const float* images, unsigned batch);
    void backwardInto(std::size_t layer, unsigned batch); ///< the gradient of what the layer got

    Layers m_layers;
    Blas m_blas;
    Queue m_queue;
    std::vector<Tensor> m_tensors; ///< bias and weights of the last layer, then of the one before, ...
    std::vector<Place> m_places;   ///< of the layers
    DeviceArray<float> m_parameters;
    DeviceArray<float> m_gradients;
    DeviceArray<float> m_losses;
};

} // namespace ringside::trainer
