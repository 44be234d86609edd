// SPDX-License-Identifier: Apache-2.0
// The nccl tier on the drain thread: sets NCCL's activation masks to what the level requires, names
// communicators, and writes to the trace what was active and why not.
#pragma once
#include "record/session.h"

#include <string>

namespace ringside::collector::profiler {

class Tier final : public Participant {
public:
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;
    void abandon() override;

private:
    void describe(trace::Writer& writer) const;

    unsigned m_version = 0;
    std::uint64_t m_dropped = 0;
};

} // namespace ringside::collector::profiler
