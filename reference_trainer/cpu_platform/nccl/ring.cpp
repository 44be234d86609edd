// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include <algorithm>
#include <array>
#include <memory>

namespace ringside::nccl {
namespace {

/// Sends one segment to the right while the left's version of another arrives and is combined into ours.
class ReduceStep final {
public:
    ReduceStep(const RingData& data, const Reduction& reduction, std::size_t element)
        : m_data(data)
        , m_reduction(reduction)
        , m_element(element)
        , m_scratchMemory(std::make_unique_for_overwrite<char[]>(2 * kChunkBytes))
        , m_scratch(data.mesh, m_scratchMemory.get(), 2 * kChunkBytes)
        , m_own(data.mesh, data.memory, extent(data))
    {}

    void run(const Segment& outgoing, const Segment& incoming)
    {
        const std::vector<Segment> out = chunks(outgoing);
        const std::vector<Segment> in = chunks(incoming);
        for (std::size_t i = 0; i < std::min<std::size_t>(2, in.size()); ++i)
            post(i, in[i]);
        for (const Segment& chunk : out)
            m_own.send(m_data.mesh.neighbour(1), m_data.slot, chunk.offset, chunk.size);
        for (std::size_t i = 0; i < in.size(); ++i) {
            m_scratch.waitReceived();
            m_reduction.combine(m_data.memory + in[i].offset, half(i), in[i].size / m_element);
            if (i + 2 < in.size())
                post(i + 2, in[i + 2]);
        }
        for (std::size_t i = 0; i < out.size(); ++i)
            m_own.waitSent();
    }

private:
    static std::size_t extent(const RingData& data)
    {
        return data.segments.back().offset + data.segments.back().size;
    }
    [[nodiscard]] char* half(std::size_t index) const
    {
        return m_scratchMemory.get() + index % 2 * kChunkBytes;
    }
    void post(std::size_t index, const Segment& chunk)
    {
        m_scratch.receive(m_data.mesh.neighbour(-1), m_data.slot, index % 2 * kChunkBytes, chunk.size);
    }

    const RingData& m_data;
    const Reduction& m_reduction;
    const std::size_t m_element;
    const std::unique_ptr<char[]> m_scratchMemory;
    MeshBuffer m_scratch;
    MeshBuffer m_own;
};

std::size_t wrapped(int index, int size)
{
    return static_cast<std::size_t>((index % size + size) % size);
}

} // namespace

std::vector<Segment> split(std::size_t count, std::size_t element, int parts)
{
    const auto ranks = static_cast<std::size_t>(parts);
    std::vector<Segment> segments(ranks);
    std::size_t offset = 0;
    for (std::size_t i = 0; i < ranks; ++i) {
        segments[i] = {.offset = offset, .size = (count / ranks + (i < count % ranks ? 1 : 0)) * element};
        offset += segments[i].size;
    }
    return segments;
}

std::vector<Segment> chunks(const Segment& segment)
{
    std::vector<Segment> result;
    for (std::size_t done = 0; done < segment.size; done += kChunkBytes)
        result.push_back(
            {.offset = segment.offset + done, .size = std::min(kChunkBytes, segment.size - done)});
    return result;
}

void reduceScatterPass(const RingData& data, const Reduction& reduction, std::size_t element)
{
    const int rank = data.mesh.rank();
    const int size = data.mesh.size();
    ReduceStep step(data, reduction, element);
    for (int i = 0; i < size - 1; ++i)
        step.run(data.segments[wrapped(rank - i - 1, size)], data.segments[wrapped(rank - i - 2, size)]);
}

void allGatherPass(const RingData& data)
{
    const int rank = data.mesh.rank();
    const int size = data.mesh.size();
    MeshBuffer buffer(data.mesh, data.memory, data.segments.back().offset + data.segments.back().size);
    for (int i = 0; i < size - 1; ++i) {
        const std::vector<Segment> out = chunks(data.segments[wrapped(rank - i, size)]);
        const std::vector<Segment> in = chunks(data.segments[wrapped(rank - i - 1, size)]);
        for (const Segment& chunk : in)
            buffer.receive(data.mesh.neighbour(-1), data.slot, chunk.offset, chunk.size);
        for (const Segment& chunk : out)
            buffer.send(data.mesh.neighbour(1), data.slot, chunk.offset, chunk.size);
        for (std::size_t k = 0; k < in.size(); ++k)
            buffer.waitReceived();
        for (std::size_t k = 0; k < out.size(); ++k)
            buffer.waitSent();
    }
}

} // namespace ringside::nccl
