// SPDX-License-Identifier: Apache-2.0
// Process descriptors: readable when the process has ended, and never valid for another process with the same
// id.
#pragma once
#include <cstdint>
#include <optional>

namespace ringside::cli {

/// Returns a descriptor that the caller closes, or -1 if the process has ended or the kernel (before Linux
/// 5.3) or its access rules refuse.
[[nodiscard]] int openPidfd(std::uint32_t pid);

/// Returns the wait(2) status of a process that its parent has collected, or null if it is not collected or
/// the kernel (before Linux 6.15) does not support the request.
[[nodiscard]] std::optional<int> collectedStatus(int pidfd);

} // namespace ringside::cli
