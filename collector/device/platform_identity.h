// SPDX-License-Identifier: Apache-2.0
// Names the GPUs the program uses, the libraries it runs on, its ranks, and whether
// it runs on the CPU platform. Asks the runtime only about devices that the program itself has used: asking
// earlier would initialise CUDA in its place.
#pragma once
#include "record/ranks.h"
#include "record/session.h"

#include <ringside/trace/rows.h>

#include <cstdint>
#include <vector>

namespace ringside::collector {

class PlatformIdentity final : public Participant {
public:
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;
    /// Those that the program has used so far, in the order in which that was seen. Of the drain thread
    /// alone.
    [[nodiscard]] const std::vector<trace::DeviceRow>& devices() const { return m_devices; }

private:
    void describeDevice(trace::Writer& writer, int ordinal);
    void describeRanks(trace::Writer& writer, Registry& registry);
    static void describeLibraries(trace::Writer& writer);

    std::string m_sysfsRoot;
    std::uint64_t m_described = 0; ///< bit n: device n
    std::vector<trace::DeviceRow> m_devices;
    std::uint32_t m_worldsDescribed = 0;
    std::optional<ProgramRank> m_programRank;
};

} // namespace ringside::collector
