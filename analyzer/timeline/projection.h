// SPDX-License-Identifier: Apache-2.0
// Ranges of host threads on the GPU: a projected range lasts from the first start to the last end of the
// device work that was launched in the range, by a call of the same thread. Nsight Systems calls this the
// NVTX GPU projection; Kineto writes gpu_user_annotation events of the same meaning, which its importer
// leaves out. The work of a CUDA graph belongs to the ranges of the graph's launch.
//
// A projection costs time and memory for each piece of device work, so that a rank's is computed when
// somebody looks at it.
#pragma once
#include "model/model.h"
#include "timeline/track.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace ringside::timeline {

/// The projected ranges of one thread.
struct Projection {
    std::size_t track = 0;    ///< index into Timeline::tracks
    std::vector<Lane> lanes;  ///< inner ranges are below outer ones
    std::int64_t leftOut = 0; ///< ranges that nest or overlap too deeply to be shown
};

class Projections final {
public:
    explicit Projections(std::size_t ranks) : m_ranks(ranks) {}

    [[nodiscard]] bool ready(std::size_t rank) const { return m_ranks[rank].ready.load(); }
    /// Computes the projection of a rank, of Timeline::tracks, unless it is there. Several threads may call
    /// it. If `cancelled` returns true, the rank remains without.
    void compute(const model::Model& model, std::span<const Track> tracks, std::size_t rank,
                 const std::function<bool()>& cancelled = {});
    /// The same for several ranks, on all cores.
    void compute(const model::Model& model, std::span<const Track> tracks,
                 const std::vector<std::size_t>& ranks, const std::function<bool()>& cancelled = {});
    /// Returns the projection of a track of this rank; null: it is not computed yet.
    [[nodiscard]] const Projection* of(std::size_t rank, std::size_t track) const;
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct RankProjections {
        std::mutex mutex;                ///< held by the thread that computes
        std::atomic<bool> ready = false; ///< from then on, `threads` does not change
        std::vector<Projection> threads; ///< by track
    };
    std::vector<RankProjections> m_ranks;
};

} // namespace ringside::timeline
