// SPDX-License-Identifier: Apache-2.0
// The emulated devices, and those of them that somebody has opened.
#pragma once
#include "script.h"

namespace ringside::verbs {

/// Seconds since the process asked for the list of devices first; the script's time.
[[nodiscard]] double now();
/// That moment on CLOCK_MONOTONIC, in seconds.
[[nodiscard]] double startedS();

/// A device that was opened. Its descriptor for events is a timer, which goes off when the script has one:
/// whoever waits for it in whatever way sees the event in time, and no thread is needed.
struct Opened {
    ibv_device* device = nullptr;
    std::size_t next = 0;   ///< of the script's events, the first that was not looked at
    int unacknowledged = 0; ///< events
    verbs_context whole{};
};
/// Null: it was not opened here, or is closed.
[[nodiscard]] Opened* openedOf(const ibv_context* context);
/// Sets the timer to this device's next event.
void armTimer(Opened& opened);
/// 0, or the errno with which every question about the port is answered. Not before its firmware answers.
[[nodiscard]] int errorOf(const ibv_context* context, int port);
/// What an extended context has for ibv_query_port: writes as much as fits into `size` bytes, with
/// active_speed_ex at their end where there is room for it (rdma-core 49).
[[nodiscard]] int queryPort(ibv_context* context, std::uint8_t port, ibv_port_attr* attributes,
                            std::size_t size);

} // namespace ringside::verbs
