// SPDX-License-Identifier: GPL-3.0-or-later
// Item models and the words around them, without widgets.
#include "base/text.h"
#include "fixture.h"
#include "model/build_model.h"
#include "models/finding_model.h"
#include "models/notices.h"
#include "models/settings_table.h"
#include "models/step_figures.h"
#include "models/table_model.h"
#include "support/trace_builder.h"

#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

namespace ringside::gui {

using namespace std::chrono_literals;

class TestModels final : public QObject {
    Q_OBJECT

private slots:
    void findingsAreLossesInTheReportsOrder()
    {
        const Session session = test::lateRankSession();
        FindingModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(model.rowCount(), 0);
        model.setDocument(session.document);
        const auto losses = session.document->findings();
        QVERIFY(!losses.empty());
        QVERIFY(losses.size() < session.report->findings.size());
        QCOMPARE(model.rowCount(), static_cast<int>(losses.size()));
        for (int row = 0; row < model.rowCount(); ++row) {
            const document::Finding& finding = *losses[static_cast<std::size_t>(row)];
            QCOMPARE(model.index(row, FindingModel::kTitle).data().toString().toStdString(), finding.title);
            QVERIFY(!model.index(row, FindingModel::kSeverity).data().toString().isEmpty());
        }
    }

    void aFindingsPageLeadsToEachPlace()
    {
        const Session session = test::lateRankSession();
        const document::Finding& finding = *session.document->findings().front();
        QCOMPARE(QString::fromStdString(finding.rule), QStringLiteral("late_rank"));
        QVERIFY(!finding.sameLoss.empty());
        const QString html = findingHtml(finding);
        QVERIFY(html.contains(QStringLiteral("The same loss: ") + toHtml(finding.sameLoss.front().text)));
        QVERIFY(!finding.places.empty());
        QCOMPARE(html.count(QStringLiteral("place:")), static_cast<qsizetype>(finding.places.size()));
    }

    void aStrangersNamesAreText()
    {
        document::Finding finding;
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

    void tablesSortByValue()
    {
        TableModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setTable({{"rank", "name"}, {{10, "node10"}, {9, document::Cell::absent("no name")}, {11}}});
        SortedTableModel sorted;
        sorted.setSourceModel(&model);
        sorted.sort(0);
        QCOMPARE(sorted.index(0, 0).data().toString(), QStringLiteral("9"));
        QCOMPARE(sorted.index(0, 1).data().toString(), QStringLiteral("-"));
        QCOMPARE(sorted.index(0, 1).data(Qt::ToolTipRole).toString(), QStringLiteral("no name"));
        QCOMPARE(model.index(2, 1).data().toString(), QStringLiteral("-")); // a row shorter than the header
        QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QStringLiteral("name"));
        const auto aligned = [&](int column) {
            return Qt::Alignment(model.index(0, column).data(Qt::TextAlignmentRole).toInt());
        };
        QVERIFY(aligned(0).testFlag(Qt::AlignRight));
        QVERIFY(aligned(1).testFlag(Qt::AlignLeft));
    }

    void longNamesAreShownShortAndKeptWhole()
    {
        TableModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setTable({{"name", "count"}, {{"void z::a<int>(int)", 3}, {"b", 2}}}, {"a<…>", "b"});
        const QModelIndex name = model.index(0, 0);
        QCOMPARE(name.data().toString(), QStringLiteral("a<…>"));
        QCOMPARE(name.data(Qt::ToolTipRole).toString(), QStringLiteral("void z::a<int>(int)"));
        QCOMPARE(name.data(TableModel::kWholeRole).toString(), QStringLiteral("void z::a<int>(int)"));
        QCOMPARE(model.index(0, 1).data(TableModel::kWholeRole).toString(), QStringLiteral("3"));
        SortedTableModel sorted;
        sorted.setSourceModel(&model);
        sorted.sort(0);
        QCOMPARE(sorted.index(0, 0).data().toString(), QStringLiteral("a<…>")); // by what is seen
        model.setTable({{"name"}, {{"c"}}});
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("c"));
    }

    void settingsThatDifferComeFirst()
    {
        ringside::test::TraceBuilder builder(2);
        builder.setting("environment", "A_SAME", "1");
        builder.steps(4, [](ringside::test::StepBuilder& step) { step.everyRank().hostIdle(1ms); });
        builder.process(0).settings.push_back({"environment", "NCCL_ALGO", "Ring"});
        builder.process(1).settings.push_back({"environment", "NCCL_ALGO", "Tree"});
        builder.process(0).settings.push_back({"environment", "LOCAL_RANK", "0"});
        builder.process(1).settings.push_back({"environment", "LOCAL_RANK", "1"});
        builder.process(1).settings.push_back({"environment", "ONLY_HERE", "x"});
        builder.process(0).settings.push_back({"kernel", "vm.one_process_tells", "1"});
        const document::Table table = settingsTable(model::buildModel(builder.run()));
        QCOMPARE(table.rows.size(), std::size_t{7});
        const auto text = [&](std::size_t row, std::size_t column) {
            return document::cellText(table.rows[row][column]);
        };
        QCOMPARE(text(0, 0), std::string("NCCL_ALGO"));
        QCOMPARE(text(0, 4), std::string("yes"));
        QCOMPARE(text(2, 0), std::string("LOCAL_RANK"));
        QCOMPARE(text(2, 4), std::string("expected"));
        QCOMPARE(text(4, 0), std::string("ONLY_HERE"));
        QCOMPARE(text(4, 2), std::string("1"));
        QCOMPARE(text(5, 0), std::string("A_SAME"));
        QCOMPARE(text(5, 4), std::string());
        QCOMPARE(text(6, 0), std::string("vm.one_process_tells"));
        QCOMPARE(text(6, 4), std::string()); // of the host, by the one process that reads it
    }

    void theStepTableHoldsTheAnalyzersFigures()
    {
        const Session session = test::lateRankSession();
        const StepFigure& figure = stepFigures().front();
        const document::Table table = stepTable(*session.report, figure);
        QCOMPARE(table.rows.size(), std::size_t{4});
        QCOMPARE(table.header.size(), session.report->model.analyzedSteps.size() + 1);
        QCOMPARE(std::get<double>(table.rows[1][1].value()), figure.values(*session.report)[1][0]);
    }

    void theMapBeginsWithWhoIsLate()
    {
        const Session late = test::lateRankSession();
        const StepFigure& figure = stepFigures()[defaultFigure(*late.report)];
        QVERIFY(QString::fromLatin1(figure.name).startsWith(QStringLiteral("late")));
        const StepValues values = figure.values(*late.report);
        for (std::size_t step = 0; step < late.report->metrics.stepCount(); ++step) {
            QVERIFY(values[2][step] > 4e6); // computes 5 ms longer
            QVERIFY(values[0][step] < 1e6);
        }
        const Session fine = test::hostOnlySession();
        QCOMPARE(defaultFigure(*fine.report), std::size_t{0});
        QVERIFY(stepFigures()[0].values(*fine.report).empty());
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
        report.issues.push_back({trace::Issue::GpuLost, 1, "gpu0 does not answer any more"});
        report.issues.push_back({trace::Issue::DamagedChunk, 1, "a chunk is damaged"}); // only a warning
        session.report = std::make_shared<const report::Report>(std::move(report));
        const std::vector<Notice> notices = noticesOf(session);
        QCOMPARE(notices.size(), std::size_t{3});
        QVERIFY(notices[0].what.contains(QStringLiteral("not here: ranks 0-1, 3")));
        QVERIFY(notices[1].what.startsWith(QStringLiteral("17 records")));
        QCOMPARE(notices[2].what, QStringLiteral("gpu0 does not answer any more"));
    }
};

} // namespace ringside::gui

QTEST_GUILESS_MAIN(ringside::gui::TestModels)
#include "tst_models.moc"
