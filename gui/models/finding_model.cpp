// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/finding_model.h"

#include "base/text.h"
#include "report/losses.h"
#include "report/sentences.h"

namespace ringside::gui {

using namespace Qt::StringLiterals;

void FindingModel::setReport(std::shared_ptr<const report::Report> report)
{
    beginResetModel();
    m_report = std::move(report);
    m_losses = m_report ? report::lossesOf(*m_report) : std::vector<const rules::Finding*>();
    endResetModel();
}

const rules::Finding& FindingModel::finding(int row) const
{
    return *m_losses[static_cast<std::size_t>(row)];
}

int FindingModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_losses.size());
}

int FindingModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant FindingModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const rules::Finding& each = finding(index.row());
    if (role == Qt::ToolTipRole) {
        return u"%1; ranks: %2\n%3"_s.arg(toQt(report::costText(each)),
                                          toQt(report::rankList(each.ranks)), // may be cut
                                          toQt(m_report->sentence(each.advice)));
    }
    if (role == Qt::AccessibleTextRole && index.column() == kTitle) {
        return QString(severityText(each.severity) + u": "_s + toQt(m_report->sentence(each.title)));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case kSeverity:
        return severityText(each.severity);
    case kTitle:
        return toQt(m_report->sentence(each.title));
    case kCost:
        return toQt(report::costText(each));
    default:
        return toQt(report::rankList(each.ranks));
    }
}

QVariant FindingModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    constexpr const char* kTitles[] = {"Severity", "Finding", "Cost", "Ranks"};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= kColumns) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    return QString::fromLatin1(kTitles[section]);
}

QString severityText(rules::Severity severity)
{
    constexpr const char* kTexts[] = {"Information", "Warning", "Problem"};
    return QString::fromLatin1(kTexts[static_cast<std::size_t>(severity)]);
}

QString findingHtml(const report::Report& report, const rules::Finding& finding,
                    const std::vector<const rules::Finding*>& restatements)
{
    QString html = u"<h3>"_s + toHtml(report.sentence(finding.title)) + u"</h3><p><b>Try:</b> "_s +
                   toHtml(report.sentence(finding.advice)) + u"</p><p>Cost: "_s +
                   toHtml(report::costText(finding)) + u"; ranks: "_s +
                   toHtml(report::rankList(finding.ranks)) + u"; rule <code>"_s + toHtml(finding.rule) +
                   u"</code></p>"_s;
    if (!finding.figures.empty()) {
        html += u"<ul>"_s;
        for (const rules::Figure& figure : finding.figures) {
            html += u"<li>"_s + toHtml(report::figureText(figure, report.voice().period)) + u"</li>"_s;
        }
        html += u"</ul>"_s;
    }
    for (const rules::Finding* each : restatements) {
        html += u"<p>The same loss: "_s + toHtml(report.sentence(each->title)) + u" (<code>"_s +
                toHtml(each->rule) + u"</code>)</p>"_s;
    }
    for (std::size_t i = 0; i < finding.evidence.size(); ++i) {
        html += u"<p><a href=\"place:%1\">Show</a> "_s.arg(i) +
                toHtml(report::evidenceText(report, finding.evidence[i])) + u"</p>"_s;
    }
    return html;
}

} // namespace ringside::gui
