// SPDX-License-Identifier: Apache-2.0
// A network of layers with softmax cross entropy at the end; which layers, a model's file says (models/).
// Parameters and gradients lie in two flat arrays in the order in which backward finishes them (last layer
// first, bias before weights), so that a gradient bucket is a plain range of memory.
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

    /// For batches of up to `maximumBatch`. With `layersASegment` only each so many-th layer's input outlives
    /// forward: segments of so many layers take turns in the same memory, and backward computes all but the
    /// last one again. Throws Failure when an array would have more elements than a kernel launch or cuBLAS
    /// can count, when there is one segment only, and when a segment would end between a residual
    /// connection's ends.
    /// Matrix products read their factors as `precision`, "fp32", "fp16" or "bf16".
    Network(Layers layers, unsigned maximumBatch, std::uint64_t seed, cudaStream_t stream,
            unsigned layersASegment = 0, std::string_view precision = "fp32");

    /// Logits of `batch` rows of images, on the stream.
    [[nodiscard]] float* forward(const float* images, unsigned batch, const Hooks& hooks);
    /// Loss of each row, mean loss to *mean, and all gradients of the mean; after forward with the same
    /// batch. They are multiplied by the loss scale. `ready(index)` is called when the work for
    /// tensors()[index] is queued, in that order.
    void backward(const float* images, const int* labels, unsigned batch, float* mean, const Hooks& hooks,
                  const std::function<void(std::size_t)>& ready);

    [[nodiscard]] const std::vector<Tensor>& tensors() const { return m_tensors; }
    [[nodiscard]] const DeviceArray<float>& parameters() const { return m_parameters; }
    [[nodiscard]] const DeviceArray<float>& gradients() const { return m_gradients; }
    [[nodiscard]] float lossScale() const { return m_lossScale; }
    void setLossScale(float scale) { m_lossScale = scale; }

private:
    /// A layer's tensors; one without elements is none.
    struct Place {
        Tensor bias;
        Tensor weights;
    };

    void checkSizes(unsigned maximumBatch) const;
    [[nodiscard]] std::size_t largestFactor(unsigned maximumBatch) const; ///< of a product, values
    void place();
    void allocate(unsigned maximumBatch);
    void allocateSegments(unsigned maximumBatch);
    void checkSegments() const;
    [[nodiscard]] bool cutsResidual(unsigned layersASegment) const;
    void allocateLayers(std::size_t first, unsigned maximumBatch);
    /// Whether layer `index` is the last of a segment that is followed by another.
    [[nodiscard]] bool endsSegment(std::size_t index) const;
    /// What layer `index` reads; where the layer before it has given its memory away, what was kept.
    [[nodiscard]] const float* inputOf(std::size_t index, const float* images) const;
    /// The segment that ends with layer `last`, whose gradient is the kept one.
    void computeAgain(std::size_t last, const float* images, unsigned batch, const Hooks& hooks);
    [[nodiscard]] float* outputGradientOf(std::size_t index) const;
    void initialise(std::uint64_t seed);
    void startBackward(const int* labels, unsigned batch, float* mean);
    [[nodiscard]] Layer::Parameters parametersOf(std::size_t layer) const;
    void forwardLayer(std::size_t layer, const float* images, unsigned batch);
    /// The gradient of what the layer got.
    void backwardInto(std::size_t layer, const float* images, unsigned batch);

    Layers m_layers;
    Blas m_blas;
    Queue m_queue;
    std::vector<Tensor> m_tensors; ///< bias and weights of the last layer, then of the one before, ...
    std::vector<Place> m_places;   ///< of the layers
    DeviceArray<float> m_parameters;
    DeviceArray<float> m_gradients;
    DeviceArray<float> m_losses;
    unsigned m_layersASegment;              ///< 0: every layer has memory of its own
    DeviceArray<std::byte> m_segmentMemory; ///< of the segment at work
    std::vector<DeviceArray<float>> m_kept; ///< outputs of the segments but the last
    DeviceArray<float> m_keptGradient;      ///< of the output of the segment to be computed again
    std::unique_ptr<HalfCopies> m_halves;   ///< null in single precision
    float m_lossScale = 1;
};

} // namespace ringside::trainer
