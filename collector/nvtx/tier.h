// SPDX-License-Identifier: Apache-2.0
// The nvtx tier in the trace: whether NVTX loaded the collector and why not, names of threads and
// categories, and lost ranges.
#pragma once
#include "record/session.h"

namespace ringside::collector::nvtx {

class Tier final : public Participant {
public:
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;

private:
    void describe(trace::Writer& writer);
    bool m_active = false;
};

} // namespace ringside::collector::nvtx
