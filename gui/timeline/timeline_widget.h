// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline widget: turns keys, wheel and mouse into a visible range and a selection. TimelinePainter
// paints, Layout computes the rows.
#pragma once
#include "session.h"
#include "timeline/kept_place.h"
#include "timeline/marks.h"
#include "timeline/painter.h"
#include "timeline/search.h"
#include "timeline/zoom_history.h"

#include <QAbstractScrollArea>
#include <QElapsedTimer>

#include <atomic>
#include <memory>
#include <thread>

class QAction;
class QMenu;

namespace ringside::gui {

class TimelineWidget final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TimelineWidget(QWidget* parent = nullptr);
    ~TimelineWidget() override;

    /// Keeps what the user chose if the session belongs to the same run; if the newest step was visible, it
    /// still is.
    void setSession(const Session& session);
    [[nodiscard]] const Interval& visible() const { return m_zoom.visible(); }
    void showTime(const Interval& visible, ZoomHistory::Step step = ZoomHistory::Step::New);
    /// Zooms to a range, marks its ranks (numbers; empty: no particular rank) and scrolls to the first one.
    void showPlace(const Interval& time, const std::vector<std::int64_t>& ranks);
    [[nodiscard]] std::optional<timeline::SpanId> selected() const { return m_scene.selected; }
    void select(const std::optional<timeline::SpanId>& span);
    /// Returns the collective that is shown on all ranks, as index into Timeline::collectives.
    [[nodiscard]] std::optional<std::size_t> collective() const { return m_scene.collective; }
    /// Shows a collective on all ranks and selects the part of the rank that came last.
    void showCollective(std::size_t collective);
    /// Shows the next one of these collectives (indices that ascend), after the last one the first.
    void showNextOf(const std::vector<std::size_t>& collectives);
    /// Returns the stretch of time that the user chose with Shift and drag.
    [[nodiscard]] const std::optional<Interval>& range() const { return m_scene.range; }
    void setRange(const std::optional<Interval>& range);
    [[nodiscard]] const Marks& marks() const { return m_marks; }
    void renameMark(std::int64_t timeNs, const QString& name);
    /// Whether device work has the colours of its families (the default: of its kinds); stored.
    [[nodiscard]] bool isByFamily() const { return m_scene.byFamily; }
    void setByFamily(bool byFamily);
    void setRankOrder(timeline::RankOrder order);
    /// Shows only tracks whose names contain this text; empty: all.
    void setTrackFilter(const QString& text);
    /// Requests the chosen time, else the visible one, of a rank (index into Model::ranks), else of those
    /// that are shown, as a trace for other programs.
    void requestExport(std::optional<std::size_t> rank = {});
    /// What a right click at this place of the viewport offers.
    void fillMenu(QMenu& menu, const QPoint& position);
    /// Moves the visible range so that this time is in its middle; its length stays.
    void showMoment(std::int64_t timeNs);
    /// Marks all spans that a search finds and shows the next one in that direction. The search runs in the
    /// background unless its result is here already; hitsChanged() tells when it is. An empty text ends it.
    void find(const timeline::SearchRequest& request, timeline::Direction direction);
    /// Returns what the latest search found; null: there is none, or it still runs.
    [[nodiscard]] const timeline::Hits* hits() const { return m_hits.get(); }
    /// Returns the place of the hit that is selected among all hits by time, counted from 1; 0: none is.
    [[nodiscard]] std::size_t hitNumber() const { return m_hitNumber; }
    /// Selects a hit (a place in Hits::byTime) and scrolls to it.
    void showHit(std::size_t place);
    /// Shows a hit and zooms so that it takes about a fifth of the width.
    void zoomToHit(std::size_t place);
    /// Returns all actions that have a key, for menus and the help page.
    [[nodiscard]] const std::vector<QAction*>& keys() const { return m_keys; }
    /// Returns an HTML description of what is drawn at a place of the viewport.
    [[nodiscard]] QString tipAt(const QPoint& position) const;
    [[nodiscard]] const Layout& layoutOfRows() const { return m_layout; }

signals:
    void visibleChanged(const ringside::model::Interval& visible);
    void selectionChanged(); ///< the selected span, the chosen time, or marks changed
    void findRequested();
    void hitsChanged(); ///< a search has ended, or another hit is selected
    void copyRequested();
    void pictureRequested();
    void exportRequested(const ringside::model::Interval& time, const std::vector<std::size_t>& ranks);

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    static constexpr auto kByFamily = "timeline/colourByFamily"; ///< setting
    enum class Drag : std::uint8_t { None, Pan, Range };
    void addKeys();
    void addKey(const QString& text, const QString& help, const QList<QKeySequence>& keys,
                const std::function<void()>& action);
    void relayout();
    void forgetSpans();
    void startSearch(const timeline::SearchRequest& request, std::optional<timeline::Direction> direction);
    void projectOpened();
    void announce();
    void zoomBy(double factor, std::optional<std::int64_t> anchorNs = {});
    void panBy(double share);
    void selectCollective(timeline::Direction direction, bool sameCommunicator);
    void addRankActions(QMenu& menu, std::size_t rank);
    void addSpanActions(QMenu& menu, const timeline::SpanId& span);
    void addMarkActions(QMenu& menu, std::int64_t timeNs);
    void addExportActions(QMenu& menu, std::optional<std::size_t> rank);
    void askForMarkName(std::int64_t timeNs);
    [[nodiscard]] std::optional<std::int64_t> timeOfMouse() const;
    void toNeighbour(timeline::Direction direction);
    void fit();
    void undo();
    void reveal(const timeline::SpanId& span);
    void toOtherEnd();
    void toggleMark();
    void toMark(timeline::Direction direction);
    void toHit(timeline::Direction direction);
    [[nodiscard]] std::int64_t middle() const { return visible().start + visible().length() / 2; }
    void ensureVisible(const Interval& time);
    void scrollToRank(std::size_t rank);
    void openFurther(std::size_t rank);
    void clickAt(const QPoint& position);
    [[nodiscard]] const Row* rowAt(const QPoint& position) const;
    [[nodiscard]] std::optional<timeline::SpanId> spanAt(const QPoint& position) const;
    [[nodiscard]] QRect tracks() const { return TimelinePainter::tracksIn(viewport()->size()); }
    [[nodiscard]] std::int64_t timeAt(double x) const;
    [[nodiscard]] bool ready() const { return m_session.timeline != nullptr; }
    [[nodiscard]] ZoomHistory::Step gesture(int kind);
    [[nodiscard]] QString severalTip(const Row& row, std::int64_t timeNs) const;
    [[nodiscard]] QString stripTip(std::size_t rank, std::int64_t timeNs) const;
    [[nodiscard]] QString sampleTip(const timeline::SampleLine& line, std::int64_t timeNs) const;

    Session m_session;
    Shown m_shown;
    Layout m_layout;
    ZoomHistory m_zoom;
    Marks m_marks;
    Scene m_scene;
    TimelinePainter m_painter;
    std::vector<QAction*> m_keys;
    Drag m_drag = Drag::None;
    QPoint m_pressed;
    Interval m_visibleBefore;
    int m_scrollBefore = 0;
    std::optional<KeptPlace> m_kept; ///< of a run that is read again
    QElapsedTimer m_lastGesture;
    int m_lastKind = -1;
    std::optional<std::pair<Interval, std::vector<std::int64_t>>>
        m_wanted; ///< a place requested before the timeline was there
    std::shared_ptr<const timeline::Hits> m_hits;
    std::size_t m_hitNumber = 0;
    timeline::SearchRequest m_searching;       ///< the latest request
    std::atomic<std::uint64_t> m_searches = 0; ///< number of requests; a search ends when a newer one comes
    std::jthread m_searcher;                   ///< joined before the rest goes
    bool m_projecting = false;
    std::atomic<bool> m_closing = false;
    std::jthread m_projector; ///< joined before the rest goes
};

} // namespace ringside::gui
