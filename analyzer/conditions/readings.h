// SPDX-License-Identifier: Apache-2.0
// Readings of rows that are no series, and limits that a device has of its own.
#pragma once
#include "conditions/subject.h"
#include "trace/vocabulary/severity.h"
#include "words/text.h"

namespace ringside::conditions {

[[nodiscard]] bool mlxlinkComplains(const Subject& port);
/// Returns the share of received packets that switches marked. Null if not measured, or if nothing was
/// received.
[[nodiscard]] std::optional<double> markedShare(const Subject& port);
/// Returns how often a sender obeyed a request to slow down.
[[nodiscard]] std::optional<double> slowedASecond(const Subject& port);
/// Whether the link corrects errors of single bits.
[[nodiscard]] bool isCorrected(const Subject& port);

/// Returns the bits of the clock's present trouble, 0 if the clock is hardly lower; the power cap is normal
/// at full load and not among them.
[[nodiscard]] std::optional<double> clockTrouble(const Subject& gpu);
[[nodiscard]] std::string_view clockHolder(const Subject& gpu); ///< "heat", "the power supply"

/// Returns the share of its rate that the port lost since the first reading.
[[nodiscard]] std::optional<double> rateLost(const Subject& port);
/// Returns 1 if the port was active at first and is not now, else 0.
[[nodiscard]] std::optional<double> portLost(const Subject& port);
/// Returns how many NVLinks less are up than at the first reading, or than other GPUs of the model have: if
/// all have the same number, they are built that way.
[[nodiscard]] std::optional<double> nvlinksMissing(const Subject& gpu);
[[nodiscard]] std::vector<words::Slot> nvlinkSlots(const Subject& gpu);
/// Returns the share of its siblings' clock at which a GPU worked.
[[nodiscard]] std::optional<double> clockShare(const Subject& gpu);
[[nodiscard]] std::vector<words::Slot> clockSlots(const Subject& gpu);
[[nodiscard]] bool isAtPowerCap(const Subject& gpu);
/// A problem if the GPU is lost to all programs, information if it is no fault.
[[nodiscard]] trace::Severity xidSeverity(std::int64_t xid);
/// Returns the severity of the worst Xid as a number. Null if there was none.
[[nodiscard]] std::optional<double> xidGrade(const Subject& gpu);
[[nodiscard]] std::string_view lastXid(const Subject& gpu);

/// Returns how many CPUs a control group leaves.
[[nodiscard]] std::optional<double> cpuQuota(const Subject& host);
/// intel_pstate calls its dynamic mode powersave. It reacts slowly but reaches full speed.
[[nodiscard]] bool hasDynamicClock(const Subject& host);

/// The PCIe link of a GPU, as far as it was read; 0: not known. An idle GPU lowers its generation by itself,
/// so the highest counts, of three readings at least; it does not give up lanes.
struct PcieLink {
    std::int64_t lanes = 0;
    std::int64_t mostLanes = 0;
    std::int64_t generation = 0;
    std::int64_t mostGeneration = 0;

    [[nodiscard]] bool isNarrow() const { return lanes < mostLanes; }
    [[nodiscard]] bool isSlow() const { return generation < mostGeneration; }
};
[[nodiscard]] PcieLink pcieLinkOf(const Subject& gpu);
/// Returns the share of its possible rate that the PCIe link of a GPU has.
[[nodiscard]] std::optional<double> pcieShare(const Subject& gpu);
[[nodiscard]] std::vector<words::Slot> pcieSlots(const Subject& gpu);

/// Returns how far below the temperature that lowers its clock a GPU stayed, in degrees.
[[nodiscard]] std::optional<double> heatMargin(const Subject& gpu);
/// Returns DCGM's limit of PCIe replays a minute: what a bit error rate of 1e-12 makes, 0.06 x GT/s x lanes.
[[nodiscard]] double replayLimit(const Subject& gpu, double option);

} // namespace ringside::conditions
