// SPDX-License-Identifier: GPL-3.0-or-later
// What keys, screen readers and eyes need: names, shortcuts, the palette of commands, contrast.
#include "app/command_palette.h"
#include "timeline/timeline_widget.h"
#include "window_fixture.h"

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTest>
#include <QTextBrowser>
#include <QTextDocument>

namespace ringside::gui {

using namespace Qt::StringLiterals;

class TestAccess final : public test::WindowFixture {
    Q_OBJECT

private slots:
    void everyWidgetThatTakesKeysHasAName()
    {
        openRun();
        for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
            const bool control = widget->focusPolicy() & Qt::TabFocus && widget->isVisible();
            const QVariant text = widget->property("text");
            if (control && !widget->objectName().startsWith(QStringLiteral("qt_"))) {
                QVERIFY2(!widget->accessibleName().isEmpty() || !text.toString().isEmpty(),
                         widget->metaObject()->className());
            }
        }
    }

    /// A name of its own hides a label's text from screen readers.
    void screenReadersGetTheTextOfEveryLabel()
    {
        openRun();
        auto* const verdict = m_window->findChild<QLabel*>(QStringLiteral("verdict"));
        QVERIFY2(nameOf(verdict).startsWith(QStringLiteral("Rank 2 comes last")),
                 qPrintable(nameOf(verdict)));
        for (QLabel* label : m_window->findChildren<QLabel*>()) {
            QTextDocument text;
            text.setHtml(label->buddy() ? label->text().remove(u'&') : label->text()); // the key of a buddy
            for (const QString& line : text.toPlainText().split(u'\n')) {
                QVERIFY2(nameOf(label).contains(line),
                         qPrintable(nameOf(label) + QStringLiteral(" lacks ") + line));
            }
        }
    }

    void noShortcutOfTheMenusIsUsedTwice()
    {
        QSet<QString> keys;
        for (const QAction* action : m_window->findChildren<QAction*>()) {
            const bool global = action->shortcutContext() == Qt::WindowShortcut;
            if (global && !action->shortcut().isEmpty()) {
                QVERIFY2(!keys.contains(action->shortcut().toString()), qPrintable(action->text()));
                keys.insert(action->shortcut().toString());
            }
        }
        QVERIFY(keys.contains(QStringLiteral("Ctrl+1")));
    }

    void theHelpPageHoldsEveryCommand()
    {
        openRun();
        const QString help = helpHtml(*m_window);
        QVERIFY(help.contains(QStringLiteral("Ctrl+1")));
        for (const QAction* action : commandsOf(*m_window)) {
            QVERIFY2(help.contains(commandName(*action).toHtmlEscaped()), qPrintable(action->text()));
        }
    }

    void thePaletteFindsAndRunsCommands()
    {
        openRun();
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier);
        auto* const palette = m_window->findChild<CommandPalette*>();
        QVERIFY(palette != nullptr);
        auto* const list = palette->findChild<QListWidget*>();
        const int all = list->count();
        QVERIFY(all > 30);
        auto* const text = palette->findChild<QLineEdit*>();
        QTest::keyClicks(text, QStringLiteral("verdict report")); // the help of a view
        QVERIFY(list->count() >= 1 && list->count() < all);
        text->clear();
        QTest::keyClicks(text, QStringLiteral("host threads"));
        QCOMPARE(list->count(), 1);
        const auto rows = [&] { return m_window->findChild<TimelineWidget*>()->layoutOfRows().rows.size(); };
        const std::size_t before = rows();
        QTest::keyClick(text, Qt::Key_Return);
        QVERIFY(rows() > before);
    }

    void thePaletteFindsFindingsAndRanks()
    {
        openRun();
        const auto choose = [this](const QString& typed) {
            QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier);
            auto* const text = m_window->findChild<CommandPalette*>()->findChild<QLineEdit*>();
            QTest::keyClicks(text, typed);
            QTest::keyClick(text, Qt::Key_Return);
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        };
        auto* const details = m_window->findChild<QDockWidget*>(u"timeline"_s)->findChild<QTextBrowser*>();
        choose(u"rank 3"_s);
        QVERIFY2(details->toPlainText().startsWith(u"Rank 3"_s), qPrintable(details->toPlainText()));
        const auto* const timeline = m_window->findChild<TimelineWidget*>(u"timeline"_s);
        const document::Finding& first = *m_window->session().document->findings().front();
        choose(u"finding comes last"_s);
        QVERIFY(first.title.find("comes last") != std::string::npos);
        QVERIFY(timeline->visible().start <= first.places.front().startNs);
        QVERIFY(timeline->visible().length() < m_window->session().timeline->extent.length() / 2);
    }

    /// Each dock brings a switch of the view's name, which would close a view that is shown.
    void thePaletteShowsAViewAndDoesNotCloseIt()
    {
        openRun();
        auto* const dock = m_window->findChild<QDockWidget*>(QStringLiteral("findings"));
        QVERIFY(dock->isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier);
        auto* const text = m_window->findChild<CommandPalette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(text, QStringLiteral("Findings"));
        QTest::keyClick(text, Qt::Key_Return);
        QVERIFY(dock->isVisible());
    }

    /// WCAG 2 AA, for every pair of roles that texts are drawn with.
    void textsAreReadableInBothPalettes()
    {
        constexpr double kReadable = 4.5;
        const std::vector<std::pair<QPalette::ColorRole, QPalette::ColorRole>> pairs{
            {QPalette::WindowText, QPalette::Window},
            {QPalette::Text, QPalette::Base},
            {QPalette::Text, QPalette::AlternateBase},
            {QPalette::ButtonText, QPalette::Button},
            {QPalette::ToolTipText, QPalette::ToolTipBase},
            {QPalette::HighlightedText, QPalette::Highlight},
            {QPalette::Link, QPalette::Base},
            {QPalette::Link, QPalette::Window},
            {QPalette::PlaceholderText, QPalette::Base}};
        for (const Appearance appearance : {Appearance::Dark, Appearance::Light}) {
            applyAppearance(*qApp, appearance);
            const QPalette palette = QApplication::palette();
            for (const auto& [ink, back] : pairs) {
                QVERIFY2(contrast(palette.color(ink), palette.color(back)) >= kReadable,
                         qPrintable(palette.color(ink).name() + QStringLiteral(" on ") +
                                    palette.color(back).name()));
            }
        }
    }

private:
    /// What a screen reader says for a widget.
    static QString nameOf(QWidget* widget)
    {
        return QAccessible::queryAccessibleInterface(widget)->text(QAccessible::Name);
    }
};

} // namespace ringside::gui

int main(int argc, char** argv)
{
    return ringside::gui::test::runTests<ringside::gui::TestAccess>(argc, argv);
}
#include "tst_access.moc"
