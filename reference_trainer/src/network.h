// SPDX-License-Identifier: Apache-2.0
// A network of layers with softmax cross entropy at the end; the files in models/ define the layers.
// Parameters and gradients are two flat arrays in the order in which backward finishes them (last layer
// first, bias before weights), so that a gradient bucket is a range of memory.
#pragma once
#include "half_copies.h"
#include "hooks.h"
#include "layer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
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

    /// For batches of up to `maximumBatch`. With `layersASegment` = k, only every k-th layer's input is kept
    /// after forward: segments of k layers use the same memory in turn, and backward computes all but the
    /// last one again. Throws Failure if an array would have more elements than a kernel launch or cuBLAS can
    /// count, if there is only one segment, or if a segment would end inside a residual connection. Matrix
    /// products read their factors as `precision`: "fp32", "fp16" or "bf16".
    Network(Layers layers, unsigned maximumBatch, std::uint64_t seed, cudaStream_t stream,
            unsigned layersASegment = 0, std::string_view precision = "fp32");

    /// Returns the logits of `batch` rows of images; queued on the stream.
    [[nodiscard]] float* forward(const float* images, unsigned batch, const Hooks& hooks);
    /// Computes the loss of each row, the mean loss into *mean, and all gradients of the mean, multiplied by
    /// the loss scale; call it after forward with the same batch. Calls `ready(index)` when the work for
    /// tensors()[index] is queued, in that order.
    void backward(const float* images, const int* labels, unsigned batch, float* mean, const Hooks& hooks,
                  const std::function<void(std::size_t)>& ready);

    [[nodiscard]] const std::vector<Tensor>& tensors() const { return m_tensors; }
    [[nodiscard]] const DeviceArray<float>& parameters() const { return m_parameters; }
    [[nodiscard]] const DeviceArray<float>& gradients() const { return m_gradients; }
    [[nodiscard]] float lossScale() const { return m_lossScale; }
    void setLossScale(float scale) { m_lossScale = scale; }

private:
    /// A layer's tensors; a tensor without elements does not exist.
    struct Place {
        Tensor bias;
        Tensor weights;
    };

    void checkSizes(unsigned maximumBatch) const;
    /// values of the largest factor of a product
    [[nodiscard]] std::size_t largestFactor(unsigned maximumBatch) const;
    void place();
    void allocate(unsigned maximumBatch);
    void allocateSegments(unsigned maximumBatch);
    void checkSegments() const;
    [[nodiscard]] bool cutsResidual(unsigned layersASegment) const;
    void allocateLayers(std::size_t first, unsigned maximumBatch);
    /// Returns whether layer `index` is the last of a segment that another one follows.
    [[nodiscard]] bool endsSegment(std::size_t index) const;
    /// Returns the input of layer `index`; if the layer before it has released its memory, the kept copy.
    [[nodiscard]] const float* inputOf(std::size_t index, const float* images) const;
    /// Computes the segment that ends with layer `last` again; the kept gradient belongs to it.
    void computeAgain(std::size_t last, const float* images, unsigned batch, const Hooks& hooks);
    [[nodiscard]] float* outputGradientOf(std::size_t index) const;
    void initialise(std::uint64_t seed);
    void startBackward(const int* labels, unsigned batch, float* mean);
    [[nodiscard]] Layer::Parameters parametersOf(std::size_t layer) const;
    void forwardLayer(std::size_t layer, const float* images, unsigned batch);
    /// Computes the gradient of the layer's input.
    void backwardInto(std::size_t layer, const float* images, unsigned batch);

    Layers m_layers;
    Blas m_blas;
    Queue m_queue;
    std::vector<Tensor> m_tensors; ///< bias and weights of the last layer, then of the one before, ...
    std::vector<Place> m_places;   ///< by layer
    DeviceArray<float> m_parameters;
    DeviceArray<float> m_gradients;
    DeviceArray<float> m_losses;
    unsigned m_layersASegment;              ///< 0: every layer has memory of its own
    DeviceArray<std::byte> m_segmentMemory; ///< of the present segment
    std::vector<DeviceArray<float>> m_kept; ///< outputs of all segments but the last
    DeviceArray<float> m_keptGradient;      ///< gradient of the output of the segment that is computed again
    std::unique_ptr<HalfCopies> m_halves;   ///< null in single precision
    float m_lossScale = 1;
};

} // namespace ringside::trainer
