// SPDX-License-Identifier: GPL-3.0-or-later
// How one view asks another to show a place in the run: views know this, not each other.
#pragma once
#include "timeline/lane.h"

#include <QObject>

#include <vector>

namespace ringside::gui {

class Navigator final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

signals:
    /// Look at this stretch of run time on these ranks (numbers; empty: all).
    void placeWanted(const ringside::model::Interval& time, const std::vector<std::int64_t>& ranks);
};

} // namespace ringside::gui
