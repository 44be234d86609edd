// SPDX-License-Identifier: GPL-3.0-or-later
// Signals by which one view asks the window to show a place in the run. Views know this class, not each
// other.
#pragma once
#include "session.h"
#include "timeline/search.h"

#include <QObject>

#include <optional>
#include <vector>

namespace ringside::gui {

class Navigator final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

signals:
    /// Requests this stretch of run time on these ranks (rank numbers; empty: all). `what` describes it in
    /// HTML.
    void placeRequested(const ringside::model::Interval& time, const std::vector<std::int64_t>& ranks,
                        const QString& what);
    /// Tells that the user chose a stretch of run time in the timeline, or none.
    void rangeChosen(const std::optional<ringside::model::Interval>& range);
    /// Requests that all these spans are marked and the next one is shown.
    void spansRequested(const ringside::timeline::SearchRequest& request);
    /// Requests the next collective of a row of RunMetrics::collectives.
    void collectiveRequested(const ringside::metrics::CollectiveGroup& group);
    /// Tells that the timeline shows a collective (an index into Timeline::collectives) on all ranks.
    void collectiveShown(std::size_t collective);
    /// Requests the row of the collectives' table that an operation (index into Model::operations) is in.
    void collectiveRowRequested(std::size_t operation);
    /// Requests that the view with this id comes to the front.
    void viewRequested(const QString& id);
    /// Requests that a stretch of run time of these ranks (indices into Model::ranks) is written as a trace.
    void exportRequested(const ringside::model::Interval& time, const std::vector<std::size_t>& ranks);
    /// Requests a comparison with that run. If `paths` is empty, the user chooses one.
    void baseRequested(const ringside::gui::Paths& paths);
    /// Requests the goodput of the job that these runs, or the runs in these folders, are.
    void jobRequested(const ringside::gui::Paths& paths);
};

} // namespace ringside::gui
