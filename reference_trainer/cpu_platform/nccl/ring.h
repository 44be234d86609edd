// SPDX-License-Identifier: Apache-2.0
// The two halves of ring collectives: each rank sends to the next and receives from the one before, in
// chunks, so that every rank moves (n-1)/n of the data in each half. Receives are posted before the data is
// sent, and each chunk is passed on as soon as it is there: a receive that comes late costs a round trip.
#pragma once
#include "mesh.h"
#include "reduction.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ringside::nccl {

/// Larger messages are cut into pieces of this size, so that arithmetic overlaps with transfer. Bytes.
constexpr std::size_t kChunkBytes = std::size_t(512) << 10U;

struct Segment {
    std::size_t offset = 0; ///< bytes
    std::size_t size = 0;   ///< bytes
};

/// Cuts `count` elements into `parts` segments that differ by at most one element.
[[nodiscard]] std::vector<Segment> split(std::size_t count, std::size_t element, int parts);
/// The pieces of a segment, none larger than kChunkBytes; none for an empty segment.
[[nodiscard]] std::vector<Segment> chunks(const Segment& segment);

/// What a ring pass works on: `segments[r]` belongs to rank r in the end.
struct RingData {
    Mesh& mesh;
    std::uint64_t slot;
    char* memory;
    const std::vector<Segment>& segments;
};

/// The chunks that go round in one pass, in the order in which they come and go.
struct RingRoute {
    /// `lead`: this rank begins with the segment of the rank that far ahead.
    RingRoute(const RingData& data, int lead);
    std::vector<Segment> first;    ///< what this rank sends on its own account
    std::vector<Segment> incoming; ///< what comes from the left
    std::size_t passedOn = 0;      ///< so many of them, from the beginning, go on to the right
};

/// After run() the own segment holds the combination over all ranks; the others hold partial ones.
class ReduceScatterPass final {
public:
    ReduceScatterPass(const RingData& data, const Reduction& reduction, std::size_t element);
    void run();
    /// Returns when the memory is no longer read.
    void waitSent();

private:
    void post(std::size_t index);
    void send(const Segment& chunk);
    [[nodiscard]] std::size_t place(std::size_t index) const { return index % m_window * m_stride; }

    const RingData& m_data;
    const Reduction& m_reduction;
    const std::size_t m_element;
    const RingRoute m_route;
    const std::size_t m_stride; ///< bytes a chunk in the scratch memory
    const std::size_t m_window; ///< chunks in the scratch memory
    const std::unique_ptr<char[]> m_scratchMemory;
    MeshBuffer m_scratch;
    MeshBuffer m_own;
};

/// After run() every segment is what its rank had, and the memory is no longer read. The receives are posted
/// at once. In an all-reduce that may be before the other pass: a segment comes back only when everybody has
/// used it.
class AllGatherPass final {
public:
    explicit AllGatherPass(const RingData& data);
    void run();

private:
    const RingData& m_data;
    const RingRoute m_route;
    MeshBuffer m_buffer;
};

} // namespace ringside::nccl
