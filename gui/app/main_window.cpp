// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/command_palette.h"
#include "app/follow_bar.h"
#include "app/follower.h"
#include "app/slice_export.h"
#include "app/workbench.h"
#include "base/navigator.h"
#include "base/text.h"
#include "import/open_run.h"
#include "models/notices.h"
#include "report/format.h"
#include "timeline/timeline_widget.h"
#include "views/view.h"
#include "widgets/pages.h"

#include <ringside/error.h>

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDialog>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QSaveFile>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int kMostRecent = 9;
constexpr auto kPlaces = "places"_L1; ///< setting: by run, the time that was shown last

QString keyOf(const Paths& paths)
{
    return QFileInfo(toQt(paths.front().string())).absoluteFilePath();
}

QString nameOf(const Paths& paths)
{
    const QString first = toQt(paths.front().filename().string());
    return paths.size() == 1 ? first : u"%1 and %2 more"_s.arg(first).arg(paths.size() - 1);
}

} // namespace

std::vector<const ViewEntry*> allViews()
{
    std::vector<const ViewEntry*> views(all().begin(), all().end());
    std::ranges::sort(views, {}, &ViewEntry::order);
    return views;
}

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), m_navigator(new Navigator(this)), m_pages(new QStackedWidget(this))
{
    setObjectName(u"main"_s);
    setWindowTitle(u"Ringside"_s);
    setAcceptDrops(true);
    setAttribute(Qt::WA_DeleteOnClose);
    setCentralWidget(m_pages);
    addPages();
    addWorkbench();
    addMenus();
    resize(1440, 900);
    const QSettings settings;
    restoreGeometry(settings.value("window/geometry"_L1).toByteArray());
    m_workbench->restoreLayout(settings.value("window/docks"_L1).toByteArray());
}

MainWindow::~MainWindow() = default;

MainWindow::Page MainWindow::page() const
{
    return static_cast<Page>(m_pages->currentIndex());
}

void MainWindow::goTo(Page page)
{
    m_pages->setCurrentIndex(static_cast<int>(page));
    emit pageChanged();
}

void MainWindow::addPages()
{
    m_pages->addWidget(startPage([this] { chooseDirectory(); }, [this] { chooseFiles(); },
                                 [this](const QString& path) { open({path.toStdString()}); }));
    OpeningPage opening = openingPage([this] { cancelOpening(); });
    m_opening = opening.text;
    m_progress = opening.bar;
    m_pages->addWidget(opening.page);
    FailurePage failure = failurePage([this] { chooseDirectory(); }, [this] { startOpening(m_paths); });
    m_failure = failure.text;
    m_pages->addWidget(failure.page);
}

void MainWindow::addWorkbench()
{
    auto* const page = new QWidget(m_pages);
    auto* const lines = new QVBoxLayout(page);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    m_notices = new QWidget(page);
    m_notices->setObjectName(u"notices"_s);
    m_noticeLines = new QVBoxLayout(m_notices);
    m_noticeLines->setContentsMargins(10, 4, 10, 4);
    m_noticeLines->setSpacing(2);
    m_workbench = new Workbench(*m_navigator, page);
    lines->addWidget(m_notices);
    lines->addWidget(m_workbench, 1);
    m_pages->addWidget(page);
}

void MainWindow::open(const Paths& paths)
{
    if (page() == Page::Start || page() == Page::Failed) {
        startOpening(paths);
        return;
    }
    auto* const window = new MainWindow;
    window->show();
    window->startOpening(paths);
}

bool MainWindow::raiseView(const QString& id)
{
    return m_workbench->raiseView(id);
}

void MainWindow::compareWith(const Paths& paths)
{
    raiseView(u"compare"_s);
    emit m_navigator->baseRequested(paths);
}

void MainWindow::showMoment(const model::Interval& time, const std::optional<std::int64_t>& rank)
{
    m_restores = false;
    emit m_navigator->placeRequested(time, rank ? std::vector{*rank} : std::vector<std::int64_t>(), {});
}

/// Opens the last run of the folder of a job, and asks for the goodput of all.
void MainWindow::startOpening(const Paths& paths)
{
    m_paths = paths;
    try {
        if (const Paths runs = importers::runsIn(paths); paths.size() == 1 && runs != paths) {
            m_paths = {runs.back()};
            raiseView(u"goodput"_s);
            emit m_navigator->jobRequested(paths);
        }
    } catch (const Error&) { // opening fails too, and says why
        m_paths = paths;
    }
    openPaths();
}

void MainWindow::openPaths()
{
    m_follower->stop();
    m_job = std::make_unique<OpenJob>(m_paths);
    setWindowTitle(nameOf(m_paths) + u" — Ringside"_s);
    m_opening->setText(u"<h3>Opening %1</h3>"_s.arg(nameOf(m_paths).toHtmlEscaped()));
    m_progress->setRange(0, 0);
    m_progress->setFormat(u"Reading"_s);
    connect(m_job.get(), &OpenJob::stageChanged, this, [this](const QString& stage) {
        m_progress->setRange(0, 0);
        m_progress->setFormat(stage);
        statusBar()->showMessage(stage + u" …"_s);
    });
    connect(m_job.get(), &OpenJob::progressed, this, [this](double megabytes, double total) {
        m_progress->setRange(0, std::max(1, static_cast<int>(total)));
        m_progress->setValue(static_cast<int>(megabytes));
        m_progress->setFormat(u"%1 of %2 MB"_s.arg(megabytes, 0, 'f', 0).arg(total, 0, 'f', 0));
    });
    connect(m_job.get(), &OpenJob::sessionReady, this, [this](const Session& now) { showOpened(now); });
    connect(m_job.get(), &OpenJob::failed, this, [this](const Failure& failure) { showFailure(failure); });
    goTo(Page::Opening);
    m_job->start();
}

void MainWindow::cancelOpening()
{
    if (m_job) {
        m_job->cancel();
        statusBar()->clearMessage();
        setWindowTitle(u"Ringside"_s);
        goTo(Page::Start);
    }
}

void MainWindow::showOpened(const Session& session)
{
    showSession(session);
    if (session.timeline && session.isRunning) {
        m_follower->start(session.recording);
    }
}

void MainWindow::showSession(Session session)
{
    const bool first = m_session.report != session.report;
    session.isFollowed = first && session.timeline && m_session.report && page() == Page::Workbench;
    m_session = session;
    m_workbench->setSession(session);
    if (first) {
        showNotices();
        remember(session.recording);
        goTo(Page::Workbench);
    }
    if (session.timeline) {
        statusBar()->showMessage(
            u"%L1 spans, ranks: %2"_s.arg(session.timeline->spans()).arg(session.report->model.ranks.size()));
        m_followBar->setSteps(session.report->model.stepCoverage.found);
        restorePlace();
        emit timelineReady();
    }
}

void MainWindow::showNotices()
{
    constexpr std::size_t kMost = 3; // lines: the views below need the room
    while (QLayoutItem* const item = m_noticeLines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const std::vector<Notice> notices = noticesOf(m_session);
    const std::size_t shown = notices.size() <= kMost ? notices.size() : kMost - 1;
    for (std::size_t i = 0; i < shown; ++i) {
        const QString todo = notices[i].todo.isEmpty() ? QString() : QString(u" "_s + notices[i].todo);
        auto* const line = new QLabel(
            u"<b>&#9888;</b> %1<i>%2</i>"_s.arg(notices[i].what.toHtmlEscaped(), todo.toHtmlEscaped()),
            m_notices);
        line->setWordWrap(true);
        line->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_noticeLines->addWidget(line);
    }
    if (shown < notices.size()) {
        QStringList rest;
        for (std::size_t i = shown; i < notices.size(); ++i) {
            rest.append(notices[i].what);
        }
        auto* const more =
            new QLabel(u"and %1 more: see Issues in view Summary"_s.arg(rest.size()), m_notices);
        more->setToolTip(rest.join(u'\n'));
        more->setAccessibleName(rest.join(u"; "_s));
        m_noticeLines->addWidget(more);
    }
    m_notices->setVisible(!notices.empty());
}

void MainWindow::showFailure(const Failure& failure)
{
    m_failure->setText(u"<h2>%1</h2><p>%2</p><p>%3</p>"_s.arg(failure.title, failure.what.toHtmlEscaped(),
                                                              toHtml(failure.hint.toStdString())));
    statusBar()->clearMessage();
    goTo(Page::Failed);
    if (failure.isRunning) {
        m_follower->start(m_paths); // opens the run as soon as there is something to see
    }
}

void MainWindow::showKeys()
{
    constexpr QSize kSize(720, 640);
    auto* const page = new QDialog(this);
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->setWindowTitle(u"Commands and keys"_s);
    page->resize(kSize);
    auto* const text = new QTextBrowser(page);
    text->setAccessibleName(u"Table of commands and keys"_s);
    text->setHtml(helpHtml(*this));
    auto* const lines = new QVBoxLayout(page);
    lines->addWidget(text);
    page->open();
}

void MainWindow::chooseDirectory()
{
    const QString path = QFileDialog::getExistingDirectory(this, u"Open a run directory"_s);
    if (!path.isEmpty()) {
        open({path.toStdString()});
    }
}

void MainWindow::chooseFiles()
{
    const QStringList files =
        QFileDialog::getOpenFileNames(this, u"Open files of one run"_s, {}, fileFilters());
    Paths paths;
    for (const QString& file : files) {
        paths.emplace_back(file.toStdString());
    }
    if (!paths.empty()) {
        open(paths);
    }
}

void MainWindow::exportHtml()
{
    if (!m_session.report) {
        statusBar()->showMessage(u"Open a run first."_s);
        return;
    }
    const QString path =
        QFileDialog::getSaveFileName(this, u"Save the report"_s, u"report.html"_s, u"Web page (*.html)"_s);
    if (path.isEmpty()) {
        return;
    }
    QSaveFile file(path);
    const std::string text = htmlReport(*m_session.report);
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.write(text.data(), static_cast<qint64>(text.size())) >= 0 && file.commit();
    statusBar()->showMessage(written ? u"Saved as %1"_s.arg(path)
                                     : u"Cannot write %1: %2"_s.arg(path, file.errorString()));
}

void MainWindow::askPrice()
{
    constexpr double kMost = 1e6;
    bool ok = false;
    const double price = QInputDialog::getDouble(
        this, u"Price of a GPU-hour"_s, u"What an hour of one GPU costs, in any currency (0: not known):"_s,
        QSettings().value(kPriceSetting, 0).toDouble(), 0, kMost, 2, &ok);
    if (ok) {
        QSettings().setValue(kPriceSetting, price);
        if (!m_paths.empty()) {
            startOpening(m_paths);
        }
    }
}

void MainWindow::remember(const Paths& paths)
{
    QSettings settings;
    QStringList recent = settings.value("recent"_L1).toStringList();
    const QString path = keyOf(paths);
    recent.removeAll(path);
    recent.prepend(path);
    settings.setValue("recent"_L1, QStringList(recent.mid(0, kMostRecent)));
}

/// Shows the time that the window showed of this run when it was closed; the user's undo leads to the whole.
void MainWindow::restorePlace()
{
    const QVariantList place = QSettings().value(kPlaces).toMap().value(keyOf(m_session.recording)).toList();
    const model::Interval& all = m_session.timeline->extent;
    if (!std::exchange(m_restores, false) || place.size() != 2 || m_session.isRunning) {
        return;
    }
    const model::Interval time{place[0].toLongLong(), place[1].toLongLong()};
    if (all.start <= time.start && time.start < time.end && time.end <= all.end) {
        timeline().showTime(time);
        statusBar()->showMessage(u"As you left it; F shows everything"_s);
    }
}

/// Of the recent runs only. Nothing is kept of a run that is shown whole.
void MainWindow::keepPlace()
{
    QSettings settings;
    const QVariantMap before = settings.value(kPlaces).toMap();
    QVariantMap places;
    for (const QString& path : settings.value("recent"_L1).toStringList()) {
        if (before.contains(path)) {
            places[path] = before[path];
        }
    }
    const model::Interval& time = timeline().visible();
    const bool whole = time.length() >= m_session.timeline->extent.length();
    places[keyOf(m_session.recording)] =
        whole ? QVariantList() : QVariantList{qlonglong(time.start), qlonglong(time.end)};
    settings.setValue(kPlaces, places);
}

TimelineWidget& MainWindow::timeline() const
{
    return *m_workbench->findChild<TimelineWidget*>(u"timeline"_s);
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    int number = 0;
    for (const QString& path : QSettings().value("recent"_L1).toStringList()) {
        QAction* const each = m_recent->addAction(u"&%1  %2"_s.arg(++number).arg(path));
        each->setEnabled(QFileInfo::exists(path));
        connect(each, &QAction::triggered, this, [this, path] { open({path.toStdString()}); });
    }
    m_recent->addSeparator();
    QAction* const clear = m_recent->addAction(u"&Clear"_s);
    connect(clear, &QAction::triggered, this, [] { QSettings().remove("recent"_L1); });
}

void MainWindow::setAppearance(Appearance appearance)
{
    QSettings().setValue("window/appearance"_L1, static_cast<int>(appearance));
    applyAppearance(*static_cast<QApplication*>(QApplication::instance()), appearance);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    Paths paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            paths.emplace_back(url.toLocalFile().toStdString());
        }
    }
    if (paths.empty()) {
        return;
    }
    event->acceptProposedAction();
    if (page() != Page::Workbench) {
        open(paths);
        return;
    }
    auto* const choice = new QMenu(this);
    choice->setObjectName(u"dropChoice"_s);
    choice->setAttribute(Qt::WA_DeleteOnClose);
    choice->addAction(u"&Compare with this run"_s, this, [this, paths] { compareWith(paths); });
    choice->addAction(u"&Open in a window of its own"_s, this, [this, paths] { open(paths); });
    choice->popup(mapToGlobal(event->position().toPoint()));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings settings;
    settings.setValue("window/geometry"_L1, saveGeometry());
    settings.setValue("window/docks"_L1, m_workbench->layoutState());
    if (m_session.timeline && page() == Page::Workbench) {
        keepPlace();
    }
    if (m_job) {
        m_job->cancel();
    }
    m_follower->stop();
    event->accept();
}

} // namespace ringside::gui
