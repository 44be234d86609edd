// SPDX-License-Identifier: GPL-3.0-or-later
// A window before each test, and what tests of windows do with it.
#pragma once
#include "app/main_window.h"
#include "fixture.h"

#include <QDockWidget>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace ringside::gui::test {

class WindowFixture : public QObject {
    Q_OBJECT

protected slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_run = writeLateRankRun(m_folder.path().toStdString());
    }

    void init()
    {
        m_window = std::make_unique<MainWindow>();
        m_window->setAttribute(Qt::WA_DeleteOnClose, false);
        m_window->resize(1400, 900);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

protected:
    void openRun() { openRun(m_run); }
    void openRun(const std::filesystem::path& run)
    {
        const QSignalSpy ready(m_window.get(), &MainWindow::timelineReady);
        m_window->open({run});
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 30'000);
        QCOMPARE(m_window->page(), MainWindow::Page::Workbench);
    }
    void raise(const QString& view)
    {
        m_window->findChild<QDockWidget*>(view)->raise();
        QCoreApplication::processEvents();
    }

    QTemporaryDir m_folder;
    std::filesystem::path m_run; ///< of a late rank
    std::unique_ptr<MainWindow> m_window;
};

} // namespace ringside::gui::test
