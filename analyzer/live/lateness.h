// SPDX-License-Identifier: Apache-2.0
// How late each rank was in a step, without matching single collectives: by how much the others waited.
#pragma once
#include "live/snapshot.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::live {

/// The time that each rank's GPU spent in communication kernels, as the device tier measured it on all of
/// them, else as NCCL did on all of them. Null: neither.
[[nodiscard]] std::optional<std::vector<std::int64_t>> communicationOf(const std::vector<const Step*>& step);

/// One value a rank: by how much its communication kernels were shorter than the middle one of the other
/// ranks'. Who comes last to a collective waits least in it. Null: not measured on all.
[[nodiscard]] std::optional<std::vector<std::int64_t>> lateByDevice(const std::vector<const Step*>& step);

/// The same by the times in which hosts waited for their devices. It sees a host that is late (data, other
/// work of the program), not a GPU that is slow: that one's host waits as long as the others. Null: the hosts
/// do not wait for a fifth of the step, so that nothing can be told.
[[nodiscard]] std::optional<std::vector<std::int64_t>> lateByHost(const std::vector<const Step*>& step);

} // namespace ringside::live
