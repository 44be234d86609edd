// SPDX-License-Identifier: Apache-2.0
// Changes the gradient buckets. The recorded buckets tell how long backward takes for how many bytes of
// gradients: between two of them, gradients are assumed to become ready evenly with the device's work.
// Tensors, which no bucket splits, are not recorded: a bucket inside of a recorded message is a guess, and is
// reported as one.
#include "whatif/bounds.h"
#include "whatif/changes.h"
#include "whatif/what_is_missing.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <cmath>

namespace ringside::whatif {
namespace {

constexpr std::uint64_t kFirstBucket = 1U << 20U; ///< limit of the first bucket in DistributedDataParallel
constexpr std::size_t kMostBuckets = 4096;

/// Recorded gradient messages in the order of their launches, with the bytes that are ready at their ends.
struct Gradients {
    std::vector<std::uint32_t> slots;
    std::vector<double> ends; ///< cumulative bytes
};

Gradients gradientsOf(const Plan& plan)
{
    Gradients gradients;
    double bytes = 0;
    for (const PlannedOp& op : plan.ranks.front().ops) {
        if (op.op.slot && plan.slotTable[*op.op.slot].slot.gradient) {
            bytes += static_cast<double>(plan.slotTable[*op.op.slot].slot.bytes.value_or(0));
            gradients.slots.push_back(*op.op.slot);
            gradients.ends.push_back(bytes);
        }
    }
    return gradients;
}

/// Returns the ends of the new buckets. A bucket is full when it reaches its limit. Near a recorded end it
/// ends there, because a tensor ends there. With `whole`, buckets end only at recorded ends. If the recorded
/// gradients were one message, the first bucket stays as recorded.
std::vector<double> planEnds(const Gradients& gradients, double limit, bool whole)
{
    constexpr double kClose = 0.1; // share of the limit
    const double total = gradients.ends.back();
    const double first = std::min(limit, std::max<double>(gradients.ends.front(), kFirstBucket));
    std::vector<double> ends;
    double at = 0;
    while (at < total && ends.size() < kMostBuckets) {
        double end = at + (ends.empty() ? first : limit);
        const auto near = std::lower_bound(gradients.ends.begin(), gradients.ends.end(), end);
        if (near != gradients.ends.end() && (whole || *near - end <= kClose * limit)) {
            end = *near;
        }
        at = std::min(end, total);
        ends.push_back(at);
    }
    return ends;
}

/// Returns whether a bucket and the next one lie inside one recorded message.
bool splitsMessages(const Gradients& gradients, const std::vector<double>& ends)
{
    double begin = 0;
    for (const double end : ends) {
        const auto message = std::lower_bound(gradients.ends.begin(), gradients.ends.end(), end);
        const double recorded = message == gradients.ends.begin() ? 0 : *(message - 1);
        if (begin >= recorded && message != gradients.ends.end() && end < *message) {
            return true;
        }
        begin = end;
    }
    return false;
}

/// Rebuilds a rank's program with other messages.
class Rebuilder final {
public:
    Rebuilder(const Plan& plan, PlannedRank& rank, const Gradients& before, const std::vector<double>& ends,
              std::uint32_t firstSlot)
        : m_plan(plan), m_rank(rank), m_before(before), m_ends(ends), m_firstSlot(firstSlot)
    {}
    void rebuild();

private:
    void findMessages();
    [[nodiscard]] std::size_t readyOp(double bytes) const;
    void append(std::size_t op);
    void appendMessage(std::size_t bucket);
    [[nodiscard]] std::uint32_t placeOf(std::uint32_t op) const;

    const Plan& m_plan;
    PlannedRank& m_rank;
    const Gradients& m_before;
    const std::vector<double>& m_ends;
    std::uint32_t m_firstSlot;
    std::vector<std::size_t> m_messages; ///< operations, in the order of Gradients::slots
    std::vector<std::size_t> m_ready;    ///< the last computing operation before each message
    std::vector<PlannedOp> m_new;
    std::vector<std::uint32_t> m_places;       ///< new index of each old operation
    std::vector<std::uint32_t> m_bucketPlaces; ///< indices of the new messages
};

void Rebuilder::findMessages()
{
    for (std::size_t op = 0; op < m_rank.ops.size(); ++op) {
        const auto slot = m_rank.ops[op].op.slot;
        if (slot && m_plan.slotTable[*slot].slot.gradient) {
            if (m_messages.size() >= m_before.slots.size() || m_before.slots[m_messages.size()] != *slot) {
                throw Error(ErrorCode::Unusable, "ranks reduce their gradients in different orders");
            }
            m_messages.push_back(op);
            std::size_t ready = op;
            for (const Wait& wait : m_rank.ops[op].op.after) {
                ready = wait.stepsBack == 0 && !m_rank.ops[wait.op].op.slot ? wait.op : ready;
            }
            while (ready > 0 && m_rank.ops[ready].op.slot) {
                --ready;
            }
            m_ready.push_back(ready);
        }
    }
    if (m_messages.size() != m_before.slots.size()) {
        throw Error(ErrorCode::Unusable, "ranks reduce their gradients in different numbers of messages");
    }
}

/// Returns the operation after which this many bytes of gradients are ready. The begin of the first bucket is
/// not recorded: its bytes are assumed to become ready at the rate of the others, or with all work before it
/// if there are no others.
std::size_t Rebuilder::readyOp(double bytes) const
{
    const auto bucket = static_cast<std::size_t>(
        std::lower_bound(m_before.ends.begin(), m_before.ends.end(), bytes) - m_before.ends.begin());
    const double begin = bucket == 0 ? 0 : m_before.ends[bucket - 1];
    const double share = (bytes - begin) / (m_before.ends[bucket] - begin);
    const auto work = [&](std::size_t from, std::size_t to) {
        double sum = 0;
        for (std::size_t op = from; op < to; ++op) {
            sum += m_rank.ops[op].op.slot ? 0 : m_rank.ops[op].ns;
        }
        return sum;
    };
    const std::size_t to = m_ready[bucket];
    double length = 0;
    if (bucket > 0) {
        length = work(m_ready[bucket - 1] + 1, to + 1);
    } else if (m_ready.size() > 1) {
        const double rest = work(m_ready.front() + 1, m_ready.back() + 1);
        length = std::min(work(0, to + 1),
                          rest * m_before.ends.front() / (m_before.ends.back() - m_before.ends.front()));
    } else {
        length = work(0, to + 1);
    }
    double missing = length * (1 - share);
    std::size_t op = to;
    while (op > 0 && missing > 0) {
        missing -= m_rank.ops[op].op.slot ? 0 : m_rank.ops[op].ns;
        op -= missing >= 0 ? 1U : 0U;
    }
    return op;
}

void Rebuilder::append(std::size_t op)
{
    m_places[op] = static_cast<std::uint32_t>(m_new.size());
    m_new.push_back(m_rank.ops[op]);
}

void Rebuilder::appendMessage(std::size_t bucket)
{
    const auto old =
        std::min<std::size_t>(m_messages.size() - 1,
                              static_cast<std::size_t>(std::lower_bound(m_before.ends.begin(),
                                                                        m_before.ends.end(), m_ends[bucket]) -
                                                       m_before.ends.begin()));
    PlannedOp op = m_rank.ops[m_messages[old]];
    op.op.slot = m_firstSlot + static_cast<std::uint32_t>(bucket);
    op.gate.reset();
    m_bucketPlaces.push_back(static_cast<std::uint32_t>(m_new.size()));
    m_new.push_back(std::move(op));
}

std::uint32_t Rebuilder::placeOf(std::uint32_t op) const
{
    const auto message = std::find(m_messages.begin(), m_messages.end(), op);
    if (message == m_messages.end()) {
        return m_places[op];
    }
    const double bytes = m_before.ends[static_cast<std::size_t>(message - m_messages.begin())];
    const auto bucket = std::lower_bound(m_ends.begin(), m_ends.end(), bytes) - m_ends.begin();
    return m_bucketPlaces[std::min(static_cast<std::size_t>(bucket), m_bucketPlaces.size() - 1)];
}

void Rebuilder::rebuild()
{
    findMessages();
    m_places.resize(m_rank.ops.size());
    std::vector<std::size_t> ready;
    for (const double end : m_ends) {
        ready.push_back(std::max(readyOp(end), ready.empty() ? 0 : ready.back()));
    }
    // A message is launched when its gradients are ready, or, without overlap, where the recorded ones were.
    const std::size_t launchedAfter = m_messages.front() - m_ready.front();
    std::size_t bucket = 0;
    for (std::size_t op = 0; op < m_rank.ops.size(); ++op) {
        if (std::find(m_messages.begin(), m_messages.end(), op) == m_messages.end()) {
            append(op);
        }
        while (bucket < ready.size() && op + 1 >= ready[bucket] + launchedAfter) {
            appendMessage(bucket++);
        }
    }
    for (; bucket < ready.size(); ++bucket) {
        appendMessage(bucket);
    }
    for (std::size_t place = 0; place < m_new.size(); ++place) {
        for (std::vector<Wait>* const list : {&m_new[place].op.after, &m_new[place].op.hostAfter}) {
            for (Wait& wait : *list) {
                wait.op = placeOf(wait.op);
            }
        }
        if (auto& gate = m_new[place].gate; gate && gate->anchor) {
            gate->anchor->op = placeOf(gate->anchor->op);
        }
    }
    for (std::size_t i = 0; i < m_bucketPlaces.size(); ++i) {
        auto& after = m_new[m_bucketPlaces[i]].op.after;
        after.clear();
        if (!m_rank.ops[ready[i]].op.slot) {
            after.push_back({m_places[ready[i]], 0});
        }
    }
    m_rank.ops = std::move(m_new);
}

PlannedSlot messageOf(const PlannedSlot& like, double bytes)
{
    PlannedSlot slot = like;
    slot.slot.bytes = static_cast<std::uint64_t>(std::llround(bytes));
    slot.ns = like.line->at(bytes);
    slot.bounds = boundsOf(*like.line, bytes);
    return slot;
}

} // namespace

void changeBuckets(Plan& plan, const Changes& changes, Assumptions& assumptions)
{
    const std::uint64_t bytes = *changes.bucketBytes;
    requireGradients(plan);
    const Gradients before = gradientsOf(plan);
    const PlannedSlot like = plan.slotTable[before.slots.front()];
    requireLine(like);
    const std::vector<double> ends = planEnds(before, static_cast<double>(bytes), changes.wholeMessages);
    assumptions.split = splitsMessages(before, ends);
    if (ends.size() >= kMostBuckets) {
        throw Error(
            ErrorCode::Usage,
            fmt::format("buckets of {} bytes would need {} or more messages per step", bytes, kMostBuckets),
            "Give a larger size.");
    }
    const auto firstSlot = static_cast<std::uint32_t>(plan.slotTable.size());
    for (PlannedRank& rank : plan.ranks) {
        Rebuilder(plan, rank, before, ends, firstSlot).rebuild();
    }
    double from = 0;
    for (const double end : ends) {
        plan.slotTable.push_back(messageOf(like, end - from));
        from = end;
    }
    assumptions.lines.emplace_back(
        "gradients get ready evenly between the recorded buckets; tensors, which no bucket "
        "splits, are not recorded");
}

} // namespace ringside::whatif
