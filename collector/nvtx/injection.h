// SPDX-License-Identifier: Apache-2.0
// The nvtx tier's word in the trace: whether NVTX found us, and if not, why. And NVTX's events for those who
// have no NVTX.
#pragma once
#include "nvtx/names.h"
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

void markText(Name* domain, const char* text);
void pushText(Name* domain, const char* text);
void popText(Name* domain);

} // namespace ringside::collector::nvtx
