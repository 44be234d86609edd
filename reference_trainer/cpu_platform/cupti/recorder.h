// SPDX-License-Identifier: Apache-2.0
// The enabled kinds, and the sink that converts the runtime's activity to records. It sees what the streams
// and calls themselves report, never what an interposer changes.
#pragma once
#include "platform.h"

#include <cupti.h>

#include <cstdint>

namespace ringside::cupti {

/// Returns false for kinds without records on this platform.
[[nodiscard]] bool isRecordedKind(CUpti_ActivityKind kind);
/// Resets the choice of single functions of this kind.
void enableKind(CUpti_ActivityKind kind);
void disableKind(CUpti_ActivityKind kind);
/// Enables single functions, also without the kind RUNTIME or DRIVER. Returns false for a number out of
/// range.
[[nodiscard]] bool chooseFunction(platform::ApiFunction function, std::uint8_t enable);
/// Selects the type of thread ids in records.
void setThreadIds(CUpti_ActivityThreadIdType type);
[[nodiscard]] CUpti_ActivityThreadIdType threadIds();
/// Sets the clock of records from now on. As in the real library, CUPTI's own clock cannot be restored.
void setClientClock(CUpti_TimestampCallbackFunc clock);
/// Converts a time of the platform to the client's clock, if it has one. The clocks run at the same rate, so
/// that only their difference is added.
[[nodiscard]] std::uint64_t clientTime(std::int64_t platformNs);
/// Disables all kinds.
void disableAll();

/// Pushes onto the calling thread's stack of ids of a kind; returns false for an invalid kind.
[[nodiscard]] bool pushExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t id);
/// Returns false if the stack is empty.
[[nodiscard]] bool popExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t& id);

/// Returns true in a child forked after the library was used: it has no thread to deliver, and locks may be
/// held.
[[nodiscard]] bool forkedAway();

} // namespace ringside::cupti
