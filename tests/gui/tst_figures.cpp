// SPDX-License-Identifier: GPL-3.0-or-later
// The figures that the window shows are those of the JSON report, over a dozen runs of different kinds, and a
// page of sections shows all that a document holds.
#include "base/navigator.h"
#include "fixture.h"
#include "golden/report_kinds.h"
#include "models/table_model.h"
#include "report/document.h"
#include "report/format.h"
#include "views/view.h"
#include "widgets/box_picture.h"
#include "widgets/breakdown_chart.h"
#include "widgets/report_table.h"
#include "widgets/section_page.h"

#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <nlohmann/json.hpp>

namespace ringside::gui {

using namespace Qt::StringLiterals;
using Json = nlohmann::json;

class TestFigures final : public QObject {
    Q_OBJECT

private slots:
    void figuresOfTheWindowAreThoseOfJson_data()
    {
        QTest::addColumn<int>("kind");
        const auto& kinds = ringside::test::reportKinds();
        QVERIFY(kinds.size() >= 10);
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            QTest::newRow(kinds[i].name.c_str()) << static_cast<int>(i);
        }
    }

    void figuresOfTheWindowAreThoseOfJson()
    {
        QFETCH(int, kind);
        const report::Report& report = ringside::test::reportKinds()[static_cast<std::size_t>(kind)].report;
        const Json json = Json::parse(report::formatNamed("json").render(report));
        Navigator navigator;
        const auto summary = viewOf("summary", navigator, report);
        compareTiles(*summary, json);
        compareRanks(*summary, json);
        comparePrices(*summary, json);
    }

    void aPageShowsAllThatADocumentHolds()
    {
        const Session session = test::lateRankSession();
        SectionPage page;
        std::vector<const document::Section*> sections;
        std::size_t tables = 0;
        std::size_t charts = 0;
        for (const document::Section& section : session.document->sections) {
            sections.push_back(&section);
            for (const document::Block& block : section.blocks) {
                tables += std::holds_alternative<document::Table>(block) ? 1 : 0;
                charts += std::holds_alternative<document::BarChart>(block) ? 1 : 0;
            }
        }
        page.setSections(sections);
        QCOMPARE(page.findChildren<ReportTable*>().size(), static_cast<qsizetype>(tables));
        QCOMPARE(page.findChildren<BreakdownChart*>().size(), static_cast<qsizetype>(charts));
        for (const ReportTable* const table : page.findChildren<ReportTable*>()) {
            QVERIFY(!table->accessibleName().isEmpty());
            QVERIFY(table->model()->rowCount() > 0);
        }
    }

    void aFoldedSectionOpensAndStaysOpenWhenTheRunIsReadAgain()
    {
        const Session session = test::lateRankSession();
        const document::Section* const why = session.document->find(document::SectionId::Argument);
        QVERIFY(why != nullptr && why->folded);
        SectionPage page;
        page.setSections({why});
        page.resize(640, 800);
        page.show();
        const auto* const table = page.findChild<ReportTable*>();
        QVERIFY(!table->isVisible());
        QVERIFY(page.open(why->id) != nullptr);
        QVERIFY(table->isVisible());
        for (const ReportTable* const each : page.findChildren<ReportTable*>()) {
            QVERIFY2(each->horizontalHeader()->length() <= each->viewport()->width(),
                     "sentences are read without scrolling sideways");
        }
        page.setSections({why});
        QCOMPARE(page.findChild<ReportTable*>(), table);
        QVERIFY(table->isVisible());
        QCOMPARE(page.open(document::SectionId::Goodput), nullptr);
    }

    void aFigureLeadsToItsMoment()
    {
        const Session session = test::lateRankSession();
        const document::Section* const prices = session.document->find(document::SectionId::Prices);
        QVERIFY(prices != nullptr);
        SectionPage page;
        page.setSections({prices});
        page.show();
        auto* const table = page.findChild<ReportTable*>();
        table->sortByColumn(1, Qt::AscendingOrder); // the row on top is another one than in the document
        const QString loss = table->model()->index(0, 0).data().toString();
        QSignalSpy chosen(&page, &SectionPage::placeChosen);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, 0)).center());
        QCOMPARE(chosen.count(), 1);
        const auto place = chosen.front().front().value<document::Place>();
        const auto finding =
            std::ranges::find(session.report->findings, loss.toStdString(), &rules::Finding::rule);
        QVERIFY(finding != session.report->findings.end());
        QCOMPARE(place.startNs, finding->evidence.front().startNs);
        QCOMPARE(place.rank, finding->evidence.front().rank);
    }

    void aBoxOfThePictureLeadsToItsMoment()
    {
        const Session session = test::lateRankSession();
        const document::Section* const why = session.document->find(document::SectionId::WhyGraph);
        QVERIFY(why != nullptr && !why->folded);
        const auto& graph = std::get<document::WhyGraph>(why->blocks.front());
        SectionPage page;
        page.setSections({why});
        page.resize(1000, 600);
        page.show();
        auto* const picture = page.findChild<BoxPictureWidget*>();
        QSignalSpy chosen(&page, &SectionPage::placeChosen);
        QTest::mouseClick(picture, Qt::LeftButton, {}, picture->middleOf(0));
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.back().front().value<document::Place>().startNs, graph.verdict.place->startNs);
        QTest::keyClick(picture, Qt::Key_Down);
        QTest::keyClick(picture, Qt::Key_Return);
        QCOMPARE(chosen.count(), 2);
        QCOMPARE(chosen.back().front().value<document::Place>().startNs, graph.parts.front().place->startNs);
        for (const document::WhyGraph::Cause& cause : graph.causes) {
            QVERIFY(picture->accessibleDescription().contains(QString::fromStdString(cause.node.title)));
        }
    }

private:
    static std::unique_ptr<View> viewOf(std::string_view id, Navigator& navigator,
                                        const report::Report& report)
    {
        Session session;
        session.paths = {report.model.trace.path};
        session.report = {std::shared_ptr<void>(), &report}; // the kinds live as long as the test
        session.document = std::make_shared<const document::Document>(report::documentOf(report));
        const auto views = allViews();
        const auto entry = std::ranges::find(views, id, [](const ViewEntry* each) { return each->id; });
        std::unique_ptr<View> view((*entry)->create(navigator, nullptr));
        view->setSession(session);
        return view;
    }

    /// `shown` begins with a number, rounded to the digits that it has.
    static void compareNumber(const QString& shown, const Json& value, double divisor, const char* what)
    {
        if (value.is_null()) {
            QVERIFY2(shown == u"-"_s || shown == u"not measured"_s, qPrintable(shown));
            return;
        }
        const QString digits = shown.section(u' ', 0, 0);
        const double expected = value.get<double>() / divisor;
        const qsizetype point = digits.indexOf(u'.');
        const double unit = point < 0 ? 1 : std::pow(10.0, -static_cast<double>(digits.size() - point - 1));
        bool isNumber = false;
        const double number = digits.toDouble(&isNumber);
        QVERIFY2(isNumber && std::abs(number - expected) <= unit * 0.5001,
                 qPrintable(u"%1: %2 is shown for %3"_s.arg(QLatin1StringView(what), shown).arg(expected)));
    }

    static void compareTiles(const View& summary, const Json& json)
    {
        const Json& all = json["summary"];
        struct Tile {
            QString name;
            Json value;
            double divisor = 1;
        };
        const Tile figures[] = {{u"median step"_s, json["steps"]["median_ns"], 1e6},
                                {u"comm / compute"_s, all["comm_compute_ratio"], 1},
                                {u"GPU utilization"_s, all["gpu_utilization"]["mean"], 0.01},
                                {u"useful utilization"_s, all["useful_utilization"]["mean"], 0.01},
                                {u"spread over ranks"_s, all["useful_utilization"]["spread"], 0.01}};
        for (const Tile& figure : figures) {
            const QString start = figure.name + u": "_s;
            const QList<QLabel*> labels = summary.findChildren<QLabel*>();
            const auto tile = std::ranges::find_if(
                labels, [&](const QLabel* each) { return each->accessibleName().startsWith(start); });
            QVERIFY2(tile != labels.end(), qPrintable(figure.name));
            compareNumber((*tile)->accessibleName().mid(start.size()), figure.value, figure.divisor,
                          qPrintable(figure.name));
        }
    }

    static const ReportTable* tableWith(const View& view, const QString& header)
    {
        const QList<ReportTable*> tables = view.findChildren<ReportTable*>();
        const auto found = std::ranges::find_if(
            tables, [&](const ReportTable* each) { return rowOf(*each, 0).contains(header); });
        return found == tables.end() ? nullptr : *found;
    }

    /// The texts of a row, by the header of its column.
    static QMap<QString, QString> rowOf(const ReportTable& table, int row)
    {
        QMap<QString, QString> texts;
        for (int column = 0; column < table.model()->columnCount(); ++column) {
            texts[table.model()->headerData(column, Qt::Horizontal).toString()] =
                table.model()->index(row, column).data(TableModel::kWholeRole).toString();
        }
        return texts;
    }

    static void compareRanks(const View& summary, const Json& json)
    {
        std::vector<Json> measured;
        std::ranges::copy_if(json["ranks"], std::back_inserter(measured),
                             [](const Json& rank) { return !rank["step_ns"].is_null(); });
        const ReportTable* const table = tableWith(summary, u"useful"_s);
        QCOMPARE(table == nullptr ? 0 : table->model()->rowCount(), static_cast<int>(measured.size()));
        for (std::size_t i = 0; i < measured.size(); ++i) {
            const Json& rank = measured[i];
            const QMap<QString, QString> shown = rowOf(*table, static_cast<int>(i));
            QCOMPARE(shown[u"rank"_s].toLongLong(), rank["rank"].get<std::int64_t>());
            const Json& mean = rank["mean"];
            compareNumber(shown[u"compute\nms"_s], mean["compute_ns"], 1e6, "compute");
            compareNumber(shown[u"exposed\ncomm ms"_s], mean["exposed_communication_ns"], 1e6, "exposed");
            compareNumber(shown[u"exposed\ncopy ms"_s], mean["exposed_copy_ns"], 1e6, "copies");
            compareNumber(shown[u"idle\nms"_s], mean["idle_ns"], 1e6, "idle");
            compareNumber(shown[u"wait\nms"_s], mean["wait_ns"], 1e6, "wait");
            compareNumber(shown[u"comm/\ncompute"_s], rank["comm_compute_ratio"], 1, "ratio");
            compareNumber(shown[u"busy"_s], rank["gpu_utilization"], 0.01, "busy");
            compareNumber(shown[u"useful"_s], rank["useful_utilization"], 0.01, "useful");
            compareNumber(shown[u"came\nlast"_s], rank["last_arrivals"], 1, "came last");
        }
    }

    static void comparePrices(const View& summary, const Json& json)
    {
        const Json& losses = json["price"]["losses"];
        const ReportTable* const table = tableWith(summary, u"GPU-hours\na day"_s);
        QCOMPARE(table == nullptr ? 0 : table->model()->rowCount(), static_cast<int>(losses.size()));
        for (std::size_t i = 0; i < losses.size(); ++i) {
            const QMap<QString, QString> shown = rowOf(*table, static_cast<int>(i));
            QCOMPARE(shown[u"loss"_s].toStdString(), losses[i]["rule"].get<std::string>());
            compareNumber(shown[u"GPU-hours\na day"_s], losses[i]["gpu_hours_a_day"], 1, "GPU-hours");
            compareNumber(shown[u"of the\nGPUs' time"_s], losses[i]["share"], 0.01, "share");
            compareNumber(shown[u"+-"_s], losses[i]["replay_error_ns"], 1e6, "error");
        }
    }
};

} // namespace ringside::gui

Q_DECLARE_METATYPE(ringside::document::Place)

int main(int argc, char** argv)
{
    qRegisterMetaType<ringside::document::Place>("ringside::document::Place");
    return ringside::gui::test::runTests<ringside::gui::TestFigures>(argc, argv);
}
#include "tst_figures.moc"
