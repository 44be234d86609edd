// SPDX-License-Identifier: GPL-3.0-or-later
// The views of an open run in docks. Every view scrolls where it has less room than it needs, so that no view
// forces a size on the window. One view at a time can be given the whole room.
#pragma once
#include "session.h"

#include <QMainWindow>
#include <QPointer>

#include <vector>

class QDockWidget;

namespace ringside::gui {

class Navigator;
class View;

class Workbench final : public QMainWindow {
    Q_OBJECT
public:
    static constexpr int kLayoutVersion = 4; ///< increased when a view is added or the usual layout changes

    Workbench(Navigator& navigator, QWidget* parent);
    void setSession(const Session& session);
    /// Brings the view with this id to the front. Returns false if there is no such view.
    bool raiseView(const QString& id);
    /// Gives the focus back to the figure that led to the moment which the timeline shows.
    void goBack();
    /// Gives all room to the view that has the focus, or the arrangement before that back.
    void toggleMaximised();
    [[nodiscard]] bool isMaximised() const { return !m_before.isEmpty(); }
    void resetLayout();
    /// Returns the arrangement of the views, without a view that is maximised.
    [[nodiscard]] QByteArray layoutState() const;
    /// Returns false, and changes nothing, if the state is of another version or damaged.
    bool restoreLayout(const QByteArray& state);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addDocks(Navigator& navigator);
    void shareRoom();
    void maximise(QDockWidget* dock);
    void endMaximised();
    [[nodiscard]] QDockWidget* focusedDock() const;

    std::vector<View*> m_views;
    std::vector<QDockWidget*> m_docks; ///< one for each of m_views
    QPointer<QWidget> m_cameFrom;      ///< had the focus when a moment was requested
    QByteArray m_usual;
    QByteArray m_before;   ///< the arrangement before a view was maximised; empty: none is
    bool m_isUsual = true; ///< nothing was restored or moved yet: a new size shares the room anew
};

} // namespace ringside::gui
