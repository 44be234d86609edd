// SPDX-License-Identifier: Apache-2.0
// The two halves of ring collectives: each rank sends to the next and receives from the one before, in
// chunks, so that every rank moves (n-1)/n of the data in each half.
#pragma once
#include "mesh.h"
#include "reduction.h"

#include <cstddef>
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

/// Afterwards the own segment holds the combination over all ranks; the others hold partial ones.
void reduceScatterPass(const RingData& data, const Reduction& reduction, std::size_t element);
/// Afterwards every segment is what its rank had.
void allGatherPass(const RingData& data);

} // namespace ringside::nccl
