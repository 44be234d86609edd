// SPDX-License-Identifier: GPL-3.0-or-later
// Item models and the words around them, without widgets.
#include "app/text.h"
#include "fixture.h"
#include "models/finding_model.h"
#include "models/notices.h"
#include "models/table_model.h"

#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

namespace ringside::gui {

class TestModels final : public QObject {
    Q_OBJECT

private slots:
    void findingsComeInTheReportsOrder()
    {
        const Session session = test::lateRankSession();
        FindingModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(model.rowCount(), 0);
        model.setReport(session.report);
        QCOMPARE(model.rowCount(), static_cast<int>(session.report->findings.size()));
        QVERIFY(model.rowCount() > 0);
        for (int row = 0; row < model.rowCount(); ++row) {
            const rules::Finding& finding = session.report->findings[static_cast<std::size_t>(row)];
            QCOMPARE(model.index(row, FindingModel::kTitle).data().toString().toStdString(), finding.title);
            QVERIFY(!model.index(row, FindingModel::kSeverity).data().toString().isEmpty());
        }
    }

    void aFindingsPageLeadsToEachPlace()
    {
        const Session session = test::lateRankSession();
        const rules::Finding& finding = session.report->findings.front();
        QCOMPARE(QString::fromStdString(finding.rule), QStringLiteral("late_rank"));
        const QString html = findingHtml(finding);
        QCOMPARE(html.count(QStringLiteral("place:")), static_cast<qsizetype>(finding.evidence.size()));
    }

    void aStrangersNamesAreText()
    {
        rules::Finding finding;
        finding.title = "<script>x</script>\x1b[2J";
        const QString html = findingHtml(finding);
        QVERIFY(!html.contains(QStringLiteral("<script>")));
        QVERIFY(!html.contains(QChar(0x1b)));
    }

    void namesToTypeAreShownAsSuch()
    {
        QCOMPARE(toHtml("set `A=1` and `B`"), QStringLiteral("set <code>A=1</code> and <code>B</code>"));
        QCOMPARE(toHtml("a ` b"), QStringLiteral("a ` b"));
        QCOMPARE(toHtml(""), QString());
    }

    void tablesSortByNumber()
    {
        TableModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setTable({{"rank", "name"}, {{"10", "a"}, {"9", "-"}, {"short"}}});
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, 0).data(TableModel::kSortRole).toDouble(), 10.0);
        QCOMPARE(model.index(0, 1).data(TableModel::kSortRole).toString(), QStringLiteral("a"));
        QCOMPARE(model.index(2, 1).data().toString(), QString()); // a row shorter than the header
        QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QStringLiteral("name"));
    }

    void aWholeRunHasNoNotices() { QVERIFY(noticesOf(test::lateRankSession()).empty()); }

    void missingRanksAndDropsAreNoticed()
    {
        Session session = test::lateRankSession();
        report::Report report;
        report.model.worldSize = 4;
        report.model.ranks.resize(1);
        report.model.ranks[0].rank = 2;
        report.droppedRecords = 17;
        report.issues.push_back({"x", "error", 1, "a chunk is damaged"});
        session.report = std::make_shared<const report::Report>(std::move(report));
        const std::vector<Notice> notices = noticesOf(session);
        QCOMPARE(notices.size(), std::size_t{3});
        QVERIFY(notices[0].what.contains(QStringLiteral("missing: 0-1, 3")));
        QVERIFY(notices[1].what.startsWith(QStringLiteral("17 records")));
        QCOMPARE(notices[2].what, QStringLiteral("a chunk is damaged"));
    }
};

} // namespace ringside::gui

QTEST_GUILESS_MAIN(ringside::gui::TestModels)
#include "tst_models.moc"
