// SPDX-License-Identifier: GPL-3.0-or-later
// Notices that a user must read before trusting the figures of a run: missing parts, recording in progress,
// damage.
#pragma once
#include "session.h"

#include <QString>

#include <vector>

namespace ringside::gui {

struct Notice {
    QString what;
    QString todo; ///< what to do; may be empty
};

/// Returns the notices of a run, the most important first. Reads the rings of dead and running processes
/// beside a run directory.
[[nodiscard]] std::vector<Notice> noticesOf(const Session& session);

} // namespace ringside::gui
