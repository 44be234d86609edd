// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/finding_model.h"

#include "base/text.h"

namespace ringside::gui {

using namespace Qt::StringLiterals;

void FindingModel::setDocument(std::shared_ptr<const document::Document> document)
{
    beginResetModel();
    m_document = std::move(document);
    m_findings = m_document ? m_document->findings() : std::vector<const document::Finding*>();
    endResetModel();
}

const document::Finding& FindingModel::finding(int row) const
{
    return *m_findings[static_cast<std::size_t>(row)];
}

int FindingModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_findings.size());
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
    const document::Finding& each = finding(index.row());
    if (role == Qt::ToolTipRole) {
        return u"%1; ranks: %2\n%3"_s.arg(toQt(each.cost), toQt(each.ranks), toQt(each.advice));
    }
    if (role == Qt::AccessibleTextRole && index.column() == kTitle) {
        return QString(severityText(each.severity) + u": "_s + toQt(each.title));
    }
    if (role == Qt::AccessibleTextRole && index.column() == kRanks) {
        return toQt(each.who);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case kSeverity:
        return severityText(each.severity);
    case kTitle:
        return toQt(each.title);
    case kCost:
        return toQt(each.cost);
    default:
        return toQt(each.ranks);
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

QString severityText(trace::Severity severity)
{
    constexpr const char* kTexts[] = {"Information", "Warning", "Problem"};
    return QString::fromLatin1(kTexts[static_cast<std::size_t>(severity)]);
}

QString findingHtml(const document::Finding& finding)
{
    QString html = u"<h3>"_s + toHtml(finding.title) + u"</h3><p><b>Try:</b> "_s + toHtml(finding.advice) +
                   u"</p><p>Cost: "_s + toHtml(finding.cost) + u"; ranks: "_s + toHtml(finding.ranks) +
                   u"; rule <code>"_s + toHtml(finding.rule) + u"</code></p>"_s;
    if (!finding.figures.empty()) {
        html += u"<ul>"_s;
        for (const document::Figure& figure : finding.figures) {
            html += u"<li>"_s + toHtml(figure.text) + u"</li>"_s;
        }
        html += u"</ul>"_s;
    }
    for (const document::SameLoss& same : finding.sameLoss) {
        html += u"<p>The same loss: "_s + toHtml(same.text) + u" (<code>"_s + toHtml(same.rule) +
                u"</code>)</p>"_s;
    }
    for (std::size_t i = 0; i < finding.places.size(); ++i) {
        html += u"<p><a href=\"place:%1\">Show</a> "_s.arg(i) + toHtml(finding.places[i].text) + u"</p>"_s;
    }
    return html;
}

} // namespace ringside::gui
