// SPDX-License-Identifier: Apache-2.0
// Writes the GPUs that the program uses, the versions of its libraries, its ranks, and whether it runs
// on the CPU platform. Queries only devices that the program has used: an earlier query would initialize
// CUDA for the program.
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
    /// The devices that the program has used so far, in the order in which that was seen. Only for the
    /// drain thread.
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
