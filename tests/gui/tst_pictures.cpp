// SPDX-License-Identifier: GPL-3.0-or-later
// Every view on usual screens, in light and dark, and with letters half as large again: nothing that the
// program writes is cut. With RINGSIDE_PICTURES=FOLDER the pictures are saved there, to be looked at; with
// RINGSIDE_LOOK_AT=RUN:RUN... they are of these runs.
#include "app/main_window.h"
#include "fixture.h"
#include "views/view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

namespace ringside::gui {

using namespace Qt::StringLiterals;

class TestPictures final : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        const QString runs = qEnvironmentVariable("RINGSIDE_LOOK_AT");
        if (runs.isEmpty()) {
            m_runs << QString::fromStdString(test::writeHostsRun(m_folder.path().toStdString(), 5).string())
                   << QString::fromStdString(test::writeLateRankRun(m_folder.path().toStdString()).string());
        } else {
            m_runs = runs.split(u':');
        }
        m_font = QApplication::font();
    }

    void everyViewOnEveryScreen_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("appearance");
        QTest::addColumn<double>("letters");
        const std::pair<const char*, QSize> sizes[] = {
            {"1366", {1366, 768}}, {"1920", {1920, 1080}}, {"3840", {3840, 2160}}};
        for (const auto& [name, size] : sizes) {
            QTest::addRow("%s_light", name) << size << static_cast<int>(Appearance::Light) << 1.0;
            QTest::addRow("%s_dark", name) << size << static_cast<int>(Appearance::Dark) << 1.0;
            QTest::addRow("%s_large_letters", name) << size << static_cast<int>(Appearance::Light) << 1.5;
        }
    }
    void everyViewOnEveryScreen()
    {
        QFETCH(QSize, size);
        QFETCH(int, appearance);
        QFETCH(double, letters);
        applyAppearance(*qApp, static_cast<Appearance>(appearance));
        QFont font = m_font;
        font.setPointSizeF(m_font.pointSizeF() * letters);
        QApplication::setFont(font);
        for (const QString& run : m_runs) {
            lookAt(run, size);
        }
        QApplication::setFont(m_font);
        applyAppearance(*qApp, Appearance::Light);
    }

private:
    void lookAt(const QString& run, const QSize& size)
    {
        MainWindow window;
        window.setAttribute(Qt::WA_DeleteOnClose, false);
        window.resize(size);
        window.show();
        const QSignalSpy ready(&window, &MainWindow::timelineReady);
        window.open({run.toStdString()});
        QTRY_COMPARE_WITH_TIMEOUT(ready.count(), 1, 60'000);
        auto* const findings = window.findChild<QTreeView*>(u"findings"_s);
        if (findings->model()->rowCount() > 0) {
            QTest::mouseClick(findings->viewport(), Qt::LeftButton, {},
                              findings->visualRect(findings->model()->index(0, 1)).center());
        }
        for (const ViewEntry* entry : allViews()) {
            window.raiseView(QString::fromLatin1(entry->id));
            QTest::qWait(qEnvironmentVariableIsSet("RINGSIDE_PICTURES") ? 300 : 0);
            QCoreApplication::processEvents();
            save(window, QFileInfo(run).completeBaseName() + u"_"_s + QLatin1StringView(entry->id));
            for (const QWidget* const widget :
                 window.findChild<QDockWidget*>(QString::fromLatin1(entry->id))->findChildren<QWidget*>()) {
                const QString cut = widget->isVisible() ? cutTextOf(*widget) : QString();
                QVERIFY2(cut.isEmpty(),
                         qPrintable(u"%1, %2: %3"_s.arg(QLatin1StringView(entry->id), run, cut)));
            }
        }
        QCOMPARE(window.size(), size);
    }

    /// What a widget has to say and does not show whole; empty: nothing is cut.
    static QString cutTextOf(const QWidget& widget)
    {
        if (const auto* const label = qobject_cast<const QLabel*>(&widget)) {
            const int needed = label->hasHeightForWidth() ? label->heightForWidth(label->width())
                                                          : label->sizeHint().height();
            const bool fits =
                label->wordWrap() ? needed <= label->height() : label->sizeHint().width() <= label->width();
            return fits ? QString() : label->text();
        }
        if (const auto* const button = qobject_cast<const QAbstractButton*>(&widget)) {
            return button->text().isEmpty() || button->sizeHint().width() <= button->width() ? QString()
                                                                                             : button->text();
        }
        if (const auto* const tabs = qobject_cast<const QTabBar*>(&widget)) {
            return tabs->elideMode() == Qt::ElideNone || tabs->usesScrollButtons() ||
                           tabs->sizeHint().width() <= tabs->width()
                       ? QString()
                       : tabs->tabText(0);
        }
        const auto* const table = qobject_cast<const QTableView*>(&widget);
        for (int i = 0; table != nullptr && i < table->horizontalHeader()->count(); ++i) {
            if (table->columnWidth(i) < table->horizontalHeader()->sectionSizeHint(i)) {
                return table->model()->headerData(i, Qt::Horizontal).toString();
            }
        }
        return {};
    }

    static void save(MainWindow& window, const QString& name)
    {
        const QString folder = qEnvironmentVariable("RINGSIDE_PICTURES");
        const QPixmap picture = window.grab();
        QCOMPARE(picture.size(), window.size());
        if (!folder.isEmpty()) {
            QVERIFY(picture.save(
                u"%1/%2_%3.png"_s.arg(folder, name, QString::fromLatin1(QTest::currentDataTag()))));
        }
    }

    QTemporaryDir m_folder;
    QStringList m_runs;
    QFont m_font;
};

} // namespace ringside::gui

int main(int argc, char** argv)
{
    return ringside::gui::test::runTests<ringside::gui::TestPictures>(argc, argv);
}
#include "tst_pictures.moc"
