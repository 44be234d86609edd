// SPDX-License-Identifier: Apache-2.0
// Names the GPUs the program uses, the libraries it runs on, its ranks, and whether
// it runs on the CPU platform. Asks the runtime only about devices that the program itself has used: asking
// earlier would initialise CUDA in its place.
#pragma once
#include "record/ranks.h"
#include "record/session.h"

#include <cstdint>

namespace ringside::collector {

class PlatformIdentity final : public Participant {
public:
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;

private:
    void describeDevice(trace::Writer& writer, int ordinal);
    void describeRanks(trace::Writer& writer, Registry& registry);
    static void describeLibraries(trace::Writer& writer);

    std::uint64_t m_described = 0; ///< bit n: device n
    std::uint32_t m_worldsDescribed = 0;
    std::optional<ProgramRank> m_programRank;
};

} // namespace ringside::collector
