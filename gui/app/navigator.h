// SPDX-License-Identifier: GPL-3.0-or-later
// How one view asks another to show a place in the run: views know this, not each other.
#pragma once
#include "session.h"

#include <QObject>

#include <vector>

namespace ringside::gui {

class Navigator final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

signals:
    /// Look at this stretch of run time on these ranks (numbers; empty: all); `what` says in HTML what it is.
    void placeWanted(const ringside::model::Interval& time, const std::vector<std::int64_t>& ranks,
                     const QString& what);
    /// Compare what is open with that run; no paths: ask the user for one.
    void baseWanted(const ringside::gui::Paths& paths);
};

} // namespace ringside::gui
