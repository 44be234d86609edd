// SPDX-License-Identifier: Apache-2.0
// The emulated devices, and the opened ones among them.
#pragma once
#include "script.h"

namespace ringside::verbs {

/// Returns the seconds since the process first requested the list of devices, the time of the script.
[[nodiscard]] double now();
/// Returns the start of the script on CLOCK_MONOTONIC, in seconds.
[[nodiscard]] double startedS();

/// An opened device. Its descriptor for events is a timer, which expires when the script has an event: any
/// way of waiting for it works in time, and no thread is needed.
struct Opened {
    ibv_device* device = nullptr;
    std::size_t next = 0;   ///< index of the first event of the script that was not returned
    int unacknowledged = 0; ///< number of events
    verbs_context whole{};
};
/// Returns null if it was not opened here, or is closed.
[[nodiscard]] Opened* openedOf(const ibv_context* context);
/// Sets the timer to this device's next event.
void armTimer(Opened& opened);
/// Returns 0, or the errno of every query of the port. Blocks while its firmware does not answer.
[[nodiscard]] int errorOf(const ibv_context* context, int port);
/// Implements ibv_query_port of an extended context: writes as much as fits into `size` bytes, with
/// active_speed_ex at the end if there is room for it (rdma-core 49).
[[nodiscard]] int queryPort(ibv_context* context, std::uint8_t port, ibv_port_attr* attributes,
                            std::size_t size);

} // namespace ringside::verbs
