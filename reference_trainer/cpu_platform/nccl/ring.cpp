// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include "slots.h"

#include <algorithm>

namespace ringside::nccl {
namespace {

constexpr std::size_t kScratchBytes = 2 * kChunkBytes;

std::size_t extent(const RingData& data)
{
    return data.segments.back().offset + data.segments.back().size;
}

std::size_t largest(const std::vector<Segment>& pieces)
{
    std::size_t size = 1;
    for (const Segment& piece : pieces)
        size = std::max(size, piece.size);
    return size;
}

void append(std::vector<Segment>& target, const std::vector<Segment>& pieces)
{
    target.insert(target.end(), pieces.begin(), pieces.end());
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

RingRoute::RingRoute(const RingData& data, int lead)
{
    const auto segment = [&](int distance) {
        return chunks(data.segments[static_cast<std::size_t>(data.mesh.neighbour(distance))]);
    };
    first = segment(lead);
    for (int step = 1; step < data.mesh.size(); ++step) {
        passedOn = incoming.size();
        append(incoming, segment(lead - step));
    }
}

ReduceScatterPass::ReduceScatterPass(const RingData& data, const Reduction& reduction, std::size_t element)
    : m_data(data)
    , m_reduction(reduction)
    , m_element(element)
    , m_route(data, -1)
    , m_stride(largest(m_route.incoming))
    , m_window(std::min(std::max<std::size_t>(1, m_route.incoming.size()), kScratchBytes / m_stride))
    , m_scratchMemory(std::make_unique_for_overwrite<char[]>(m_window * m_stride))
    , m_scratch(data.mesh, m_scratchMemory.get(), m_window * m_stride)
    , m_own(data.mesh, data.memory, extent(data))
{
    for (std::size_t i = 0; i < m_window; ++i)
        post(i);
}

void ReduceScatterPass::post(std::size_t index)
{
    if (index < m_route.incoming.size())
        m_scratch.receive(m_data.mesh.neighbour(-1), m_data.slot, place(index), m_route.incoming[index].size);
}

void ReduceScatterPass::send(const Segment& chunk)
{
    m_own.send(m_data.mesh.neighbour(1), m_data.slot, chunk.offset, chunk.size);
}

void ReduceScatterPass::run()
{
    for (const Segment& chunk : m_route.first)
        send(chunk);
    for (std::size_t i = 0; i < m_route.incoming.size(); ++i) {
        const Segment& chunk = m_route.incoming[i];
        m_scratch.waitReceived();
        m_reduction.combine(m_data.memory + chunk.offset, m_scratchMemory.get() + place(i),
                            chunk.size / m_element);
        if (i < m_route.passedOn)
            send(chunk);
        post(i + m_window);
    }
}

void ReduceScatterPass::waitSent()
{
    for (std::size_t i = 0; i < m_route.first.size() + m_route.passedOn; ++i)
        m_own.waitSent();
}

AllGatherPass::AllGatherPass(const RingData& data)
    : m_data(data), m_route(data, 0), m_buffer(data.mesh, data.memory, extent(data))
{
    for (const Segment& chunk : m_route.incoming)
        m_buffer.receive(data.mesh.neighbour(-1), gatherSlot(data.slot), chunk.offset, chunk.size);
}

void AllGatherPass::run()
{
    const auto send = [this](const Segment& chunk) {
        m_buffer.send(m_data.mesh.neighbour(1), gatherSlot(m_data.slot), chunk.offset, chunk.size);
    };
    for (const Segment& chunk : m_route.first)
        send(chunk);
    for (std::size_t i = 0; i < m_route.incoming.size(); ++i) {
        m_buffer.waitReceived();
        if (i < m_route.passedOn)
            send(m_route.incoming[i]);
    }
    for (std::size_t i = 0; i < m_route.first.size() + m_route.passedOn; ++i)
        m_buffer.waitSent();
}

} // namespace ringside::nccl
