// SPDX-License-Identifier: Apache-2.0
// A process by a descriptor: readable when the process is gone, and never another process that got its id.
#pragma once
#include <cstdint>
#include <optional>

namespace ringside::cli {

/// The caller closes it. -1: the process is gone already, or the kernel (before Linux 5.3) or its rules
/// refuse.
[[nodiscard]] int openPidfd(std::uint32_t pid);

/// How a process ended that its parent has collected, as wait(2) gives it; null: not collected, or the kernel
/// (before Linux 6.15) does not tell.
[[nodiscard]] std::optional<int> collectedStatus(int pidfd);

} // namespace ringside::cli
