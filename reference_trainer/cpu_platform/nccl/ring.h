// SPDX-License-Identifier: Apache-2.0
// The two halves of ring collectives: each rank sends to the next one and receives from the one before, in
// chunks, so that every rank moves (n-1)/n of the data in each half. Receives are posted before the data is
// sent, because a late receive costs a round trip. Each chunk is passed on as soon as it has arrived.
#pragma once
#include "mesh.h"
#include "reduction.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ringside::nccl {

/// Larger messages are split into pieces of this size, so that arithmetic overlaps with transfer. Bytes.
constexpr std::size_t kChunkBytes = std::size_t(512) << 10U;

struct Segment {
    std::size_t offset = 0; ///< bytes
    std::size_t size = 0;   ///< bytes
};

/// Splits `count` elements into `parts` segments that differ by at most one element.
[[nodiscard]] std::vector<Segment> split(std::size_t count, std::size_t element, int parts);
/// Returns the pieces of a segment, none larger than kChunkBytes; none for an empty segment.
[[nodiscard]] std::vector<Segment> chunks(const Segment& segment);

/// The data of a ring pass: in the end, `segments[r]` belongs to rank r.
struct RingData {
    Mesh& mesh;
    std::uint64_t slot;
    char* memory;
    const std::vector<Segment>& segments;
};

/// The chunks of one pass, in the order in which they arrive and leave.
struct RingRoute {
    /// `lead`: this rank begins with the segment of the rank that is this far ahead.
    RingRoute(const RingData& data, int lead);
    std::vector<Segment> first;    ///< chunks that this rank sends first
    std::vector<Segment> incoming; ///< chunks that arrive from the left
    std::size_t passedOn = 0;      ///< number of these, from the first on, that go on to the right
};

/// After run(), this rank's own segment holds the combination over all ranks; the others hold partial ones.
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
    const std::size_t m_stride; ///< bytes of a chunk in the scratch memory
    const std::size_t m_window; ///< number of chunks in the scratch memory
    const std::unique_ptr<char[]> m_scratchMemory;
    MeshBuffer m_scratch;
    MeshBuffer m_own;
};

/// After run(), every segment holds the data of its rank, and the memory is no longer read. The receives are
/// posted at once. In an all-reduce, they may be posted before the other pass: a segment returns only after
/// all ranks have used it.
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
