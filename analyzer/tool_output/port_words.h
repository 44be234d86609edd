// SPDX-License-Identifier: Apache-2.0
// Words that several tools use for the same property of a port, and what they mean in a trace.
#pragma once
#include "tool_output/reading.h"
#include "trace/vocabulary/link_generation.h"

#include <optional>
#include <string_view>

namespace ringside::tool_output {

/// Adds the counter that infiniband-diags calls "SymbolErrorCounter", sysfs "symbol_error" and ibdiagnet
/// "SymbolErrorCounterExt", with the count that is written as `text`. Unknown names are skipped; a text that
/// is no count is named as damaged. Counters of 64 bits do not stick.
void addPortCounter(PortReading& port, std::string_view name, std::string_view text);
/// The same of the counter that a driver has in hw_counters/ under that name.
void addHardwareCounter(PortReading& port, std::string_view name, std::string_view text);

/// Returns the kernel's number of a port's state: "Active", "Initialize", "Initializing", "Init", "Down".
[[nodiscard]] std::optional<std::int64_t> portStateIn(std::string_view word);
/// Returns the kernel's number of a port's physical state: "LinkUp", "Polling", "Disabled".
[[nodiscard]] std::optional<std::int64_t> physicalStateIn(std::string_view word);
/// Returns the number before the X of "4X" or "4x".
[[nodiscard]] std::optional<std::uint64_t> lanesIn(std::string_view word);

/// Returns the generation in which a lane signals at about this rate; null if it is none.
[[nodiscard]] const trace::LinkGeneration* generationOf(double gbpsOfLane);

/// Sets lanes, rate and generation of an InfiniBand link.
void setLink(PortReading& port, std::uint64_t lanes, const trace::LinkGeneration& generation);

/// Sets host and device of an adapter that the fabric calls "gpu7 mlx5_0" or "gpu7 HCA-1".
void nameByNode(PortReading& port);
/// Returns how people call a node: "leaf01" for "MF0;leaf01:MQM9700/U1".
[[nodiscard]] std::string shortNode(std::string_view node);

} // namespace ringside::tool_output
