// SPDX-License-Identifier: GPL-3.0-or-later
// The window of one run: pages for "nothing is open", "opening" and "cannot be opened", and the workbench of
// views. A second run gets a second window.
#pragma once
#include "base/open_job.h"
#include "base/theme.h"

#include <QMainWindow>

#include <memory>
#include <optional>

class QLabel;
class QMenu;
class QProgressBar;
class QStackedWidget;
class QVBoxLayout;

namespace ringside::gui {

class FollowBar;
class Follower;
class LayoutMenu;
class Navigator;
class TimelineWidget;
class Workbench;

class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens the run in this window if none is open here, else in a new window.
    void open(const Paths& paths);
    void cancelOpening();
    /// Opens the run in view Compare beside the run of this window. If `paths` is empty, the user chooses
    /// one.
    void compareWith(const Paths& paths);
    /// Shows this time in the timeline, as soon as there is one, and marks the rank.
    void showMoment(const model::Interval& time, const std::optional<std::int64_t>& rank);
    /// Shows the run as a whole, whatever was shown of it when it was closed.
    void showWhole() { m_restores = false; }
    /// Brings the view with this id to the front. Returns false if there is no such view.
    bool raiseView(const QString& id);
    enum class Page : std::uint8_t { Start, Opening, Failed, Workbench };
    [[nodiscard]] Page page() const;
    [[nodiscard]] const Session& session() const { return m_session; }
    [[nodiscard]] Follower& follower() { return *m_follower; }

signals:
    void pageChanged();
    void timelineReady();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void addPages();
    void addWorkbench();
    void addMenus();
    void addFileMenu();
    void addViewMenu();
    void addHelpMenu();
    QAction* addCommand(QMenu* menu, const QString& text, const QString& help, const QKeySequence& key,
                        const std::function<void()>& action);
    void openPaths();
    void startOpening(const Paths& paths);
    void addFollower(QMenu* file);
    void showSession(Session session);
    void showOpened(const Session& session);
    void showNotices();
    void showFailure(const Failure& failure);
    void showKeys();
    void goTo(Page page);
    void chooseDirectory();
    void chooseFiles();
    void exportHtml();
    void askPrice();
    void remember(const Paths& paths);
    void fillRecent();
    void restorePlace();
    void keepPlace();
    [[nodiscard]] TimelineWidget& timeline() const;
    void setAppearance(Appearance appearance);

    Navigator* m_navigator;
    QStackedWidget* m_pages;
    Workbench* m_workbench = nullptr;
    QLabel* m_opening = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_failure = nullptr;
    QWidget* m_notices = nullptr;
    QVBoxLayout* m_noticeLines = nullptr;
    QMenu* m_recent = nullptr;
    LayoutMenu* m_layouts = nullptr;
    Follower* m_follower = nullptr;
    FollowBar* m_followBar = nullptr;
    Paths m_paths;
    Session m_session;
    bool m_restores = true; ///< the first run shows what it did when it was closed
    std::unique_ptr<OpenJob> m_job;
};

} // namespace ringside::gui
