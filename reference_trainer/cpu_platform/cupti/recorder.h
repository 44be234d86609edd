// SPDX-License-Identifier: Apache-2.0
// What is switched on, and the sink that turns the runtime's activity into records. It sees only what the
// streams and calls themselves report, never what an interposer makes of them.
#pragma once
#include "platform.h"

#include <cupti.h>

#include <cstdint>

namespace ringside::cupti {

/// False for kinds that the platform records nothing for.
[[nodiscard]] bool isRecordedKind(CUpti_ActivityKind kind);
/// Ends choices of single functions of this kind.
void enableKind(CUpti_ActivityKind kind);
void disableKind(CUpti_ActivityKind kind);
/// Chooses single functions; works without the kind RUNTIME or DRIVER. False for a number out of range.
[[nodiscard]] bool chooseFunction(platform::ApiFunction function, std::uint8_t enable);
/// What records call a thread.
void setThreadIds(CUpti_ActivityThreadIdType type);
[[nodiscard]] CUpti_ActivityThreadIdType threadIds();
/// Whose clock records have from now on. There is no way back to CUPTI's own, as with the real one.
void setClientClock(CUpti_TimestampCallbackFunc clock);
/// A time of the platform's, on the client's clock where it has one. Clocks of the same pace: only what lies
/// between them is added.
[[nodiscard]] std::uint64_t clientTime(std::int64_t platformNs);
/// Everything off.
void disableAll();

/// The calling thread's stack of ids of a kind; false for an invalid kind.
[[nodiscard]] bool pushExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t id);
/// False when the stack is empty.
[[nodiscard]] bool popExternalId(CUpti_ExternalCorrelationKind kind, std::uint64_t& id);

/// True in a child forked after the library was in use: there is no thread to deliver, and locks may be held.
[[nodiscard]] bool forkedAway();

} // namespace ringside::cupti
