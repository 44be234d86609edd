// SPDX-License-Identifier: GPL-3.0-or-later
// The view SQL: answers, their copies, tables beside the statement, mistakes, and what is stopped.
#include "models/answer_model.h"
#include "window_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTreeWidget>

namespace ringside::gui {

using namespace Qt::StringLiterals;

constexpr int kPatienceMs = 30'000;

class TestSql final : public test::WindowFixture {
    Q_OBJECT

private slots:
    void answersAreAModel()
    {
        AnswerModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        auto answer = std::make_shared<query::Answer>();
        answer->columns = {"a", "b"};
        answer->rows = {{std::int64_t{10}, {}}, {0.5, std::string("x")}};
        model.setAnswer(answer);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, 0).data(AnswerModel::kSortRole).toLongLong(), 10);
        QCOMPARE(model.index(0, 1).data().toString(), u"null"_s);
        QCOMPARE(model.index(1, 1).data().toString(), u"x"_s);
        QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), u"b"_s);
        model.setAnswer(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void sqlIsAnsweredAndCopied()
    {
        openRun();
        ask(u"SELECT rank, 'a,b' AS t FROM rank ORDER BY rank"_s);
        auto* const rows = sql()->findChild<QTableView*>();
        QTRY_COMPARE_WITH_TIMEOUT(rows->model()->rowCount(), 4, kPatienceMs);
        QCOMPARE(rows->model()->index(3, 0).data().toString(), u"3"_s);
        action(sql(), u"Copy as CSV"_s)->trigger();
        QVERIFY(QApplication::clipboard()->text().startsWith(u"rank,t\n0,\"a,b\"\n"_s));
    }

    void sqlShowsTheTablesBesideIt()
    {
        openRun();
        raise(u"sql"_s);
        auto* const schema = sql()->findChild<QTreeWidget*>();
        QTRY_VERIFY_WITH_TIMEOUT(schema->topLevelItemCount() > 10, kPatienceMs);
        QTRY_COMPARE(schema->findItems(u"kernel"_s, Qt::MatchExactly).size(), 1);
    }

    void aMistakeInSqlIsMarkedWhereItIs()
    {
        openRun();
        ask(u"SELECT 1,\n  nonsense FROM kernel"_s);
        auto* const message = sql()->findChild<QLabel*>(u"sqlMessage"_s);
        QTRY_VERIFY_WITH_TIMEOUT(message->text().contains(u"line 2, column 3"_s), kPatienceMs);
        auto* const editor = sql()->findChild<QPlainTextEdit*>(u"sql"_s);
        QCOMPARE(editor->extraSelections().size(), 1);
        QCOMPARE(editor->extraSelections().front().cursor.selectedText(), u"nonsense"_s);
    }

    void endlessSqlCanBeStopped()
    {
        openRun();
        ask(u"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"_s);
        QAction* const stop = action(sql(), u"Stop"_s);
        QTRY_VERIFY_WITH_TIMEOUT(stop->isEnabled(), kPatienceMs);
        stop->trigger();
        auto* const message = sql()->findChild<QLabel*>(u"sqlMessage"_s);
        QTRY_VERIFY_WITH_TIMEOUT(message->text().contains(u"Cancelled"_s), kPatienceMs);
    }

private:
    QDockWidget* sql() { return m_window->findChild<QDockWidget*>(u"sql"_s); }
    static QAction* action(const QWidget* parent, const QString& text)
    {
        for (QAction* const each : parent->findChildren<QAction*>()) {
            if (each->text() == text) {
                return each;
            }
        }
        return nullptr;
    }
    void ask(const QString& text)
    {
        raise(u"sql"_s);
        QAction* const run = action(sql(), u"Run"_s);
        QTRY_VERIFY_WITH_TIMEOUT(run->isEnabled(), kPatienceMs);
        sql()->findChild<QPlainTextEdit*>(u"sql"_s)->setPlainText(text);
        run->trigger();
    }
};

} // namespace ringside::gui

int main(int argc, char** argv)
{
    return ringside::gui::test::runTests<ringside::gui::TestSql>(argc, argv);
}
#include "tst_sql.moc"
