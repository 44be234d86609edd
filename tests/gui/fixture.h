// SPDX-License-Identifier: GPL-3.0-or-later
// Runs for the tests of the desktop program, written by the trace builder, and settings that only the test
// uses.
#pragma once
#include "base/theme.h"
#include "session.h"

#include <QApplication>
#include <QString>
#include <QTest>

#include <filesystem>

namespace ringside::gui::test {

/// Four ranks on two hosts, eight steps; rank 2 computes 5 ms longer in each.
[[nodiscard]] Session lateRankSession();
/// The same as a run directory below `folder`.
[[nodiscard]] std::filesystem::path writeLateRankRun(const std::filesystem::path& folder, int steps = 12);
/// A healthy run of one rank without device data.
[[nodiscard]] Session hostOnlySession();

/// Two ranks of which the GPU's temperature was sampled every 10 ms, but not in the middle third; the host's
/// network too.
[[nodiscard]] Session sampledSession();

/// The late rank's run with a range on each rank that all device work was launched in.
[[nodiscard]] Session rangesSession();

/// The late rank's run, in which host threads were recorded for twice as long as the GPUs.
[[nodiscard]] Session partlyRecordedSession();

/// A ring of hosts, a rank each, that send to the next one over TCP. On the first host, port mlx5_0:1 counted
/// twice and mlx5_1:1 was only seen once, as long ago. The last host's connection is slow.
[[nodiscard]] Session hostsSession(int hosts);
/// The same as a run directory below `folder`.
[[nodiscard]] std::filesystem::path writeHostsRun(const std::filesystem::path& folder, int hosts);

/// Call first in main(): fonts, style and settings do not depend on the machine.
void useOwnSettings();

/// The main() of tests of the program: light colours, and settings of their own.
template <class Tests>
int runTests(int argc, char** argv)
{
    QApplication application(argc, argv);
    useOwnSettings();
    applyAppearance(application, Appearance::Light);
    Tests tests;
    return QTest::qExec(&tests, argc, argv);
}

} // namespace ringside::gui::test
