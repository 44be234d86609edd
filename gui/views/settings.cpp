// SPDX-License-Identifier: GPL-3.0-or-later
// The environment, NCCL variables and versions that a run recorded. Those that differ between ranks come
// first.
#include "models/settings_table.h"
#include "views/view.h"
#include "widgets/report_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

namespace ringside::gui::view_settings {
namespace {

using namespace Qt::StringLiterals;

class SettingsView final : public View {
public:
    explicit SettingsView(QWidget* parent) : View(parent)
    {
        m_table = new ReportTable(u"Settings"_s, ReportTable::Height::Fill, this);
        m_table->horizontalHeader()->setStretchLastSection(true);
        setFocusProxy(m_table);
        m_none = new QLabel(u"No settings were recorded. Traces of other tools do not hold any."_s, this);
        m_none->setMargin(20);
        auto* const all = new QVBoxLayout(this);
        all->setContentsMargins(0, 0, 0, 0);
        all->addWidget(m_none);
        all->addWidget(m_table, 1);
    }

    void setSession(const Session& session) override
    {
        if (m_report == session.report) {
            return;
        }
        m_report = session.report;
        document::Table table = settingsTable(m_report->model);
        m_none->setVisible(table.rows.empty());
        m_table->setVisible(!table.rows.empty());
        m_table->setTable(std::move(table));
        constexpr int kWidest = 300; // leaves room for the other columns in the default window
        m_table->setColumnWidth(1, std::min(kWidest, m_table->columnWidth(1)));
    }

private:
    std::shared_ptr<const report::Report> m_report;
    ReportTable* m_table;
    QLabel* m_none;
};

} // namespace

RINGSIDE_VIEW(
    settings, .title = "Settings",
    .help = "Environment, NCCL variables and versions; those that differ between ranks come first",
    .order = 7, .place = Place::Right,
    .create = [](Navigator&, QWidget* parent) -> View* { return new SettingsView(parent); });

} // namespace ringside::gui::view_settings
