// SPDX-License-Identifier: GPL-3.0-or-later
// What the user must know about a run before trusting its figures: parts missing, still growing, damaged.
#pragma once
#include "session.h"

#include <QString>

#include <vector>

namespace ringside::gui {

struct Notice {
    QString what;
    QString todo; ///< may be empty
};

/// The most important first. Looks for rings of dead and running processes beside a run directory.
[[nodiscard]] std::vector<Notice> noticesOf(const Session& session);

} // namespace ringside::gui
