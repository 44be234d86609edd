// SPDX-License-Identifier: GPL-3.0-or-later
// Runs for the tests of the desktop program, written by the trace builder, and settings that only the test
// uses.
#pragma once
#include "session.h"

#include <QString>

#include <filesystem>

namespace ringside::gui::test {

/// Four ranks on two hosts, eight steps; rank 2 computes 5 ms longer in each.
[[nodiscard]] Session lateRankSession();
/// The same as a run directory below `folder`.
[[nodiscard]] std::filesystem::path writeLateRankRun(const std::filesystem::path& folder);
/// A healthy run of one rank without device data.
[[nodiscard]] Session hostOnlySession();

/// Two ranks of which the GPU's temperature was sampled every 10 ms, but not in the middle third; the host's
/// network too.
[[nodiscard]] Session sampledSession();

/// Call first in main(): fonts, style and settings do not depend on the machine.
void useOwnSettings();

} // namespace ringside::gui::test
