// SPDX-License-Identifier: GPL-3.0-or-later
// The rules that could not judge this run, each with what they lacked. No finding of such a rule is no news.
#include "views/view.h"
#include "widgets/report_table.h"

#include <QLabel>
#include <QVBoxLayout>

namespace ringside::gui::view_not_judged {
namespace {

using namespace Qt::StringLiterals;

class NotJudgedView final : public View {
public:
    explicit NotJudgedView(QWidget* parent) : View(parent)
    {
        m_title = new QLabel(this);
        m_title->setWordWrap(true);
        m_title->setMargin(6);
        m_table = new ReportTable(u"Rules that were not applicable"_s, ReportTable::Height::Fill, this);
        m_table->wrapSentences();
        setFocusProxy(m_table);
        auto* const lines = new QVBoxLayout(this);
        lines->setContentsMargins(0, 0, 0, 0);
        lines->addWidget(m_title);
        lines->addWidget(m_table, 1);
    }

    void setSession(const Session& session) override
    {
        if (m_document == session.document) {
            return;
        }
        m_document = session.document;
        document::Table table{{"rule", "looks for", "why it could not judge"}, {}};
        for (const document::RuleEntry& rule : m_document->rules) {
            if (rule.notJudged) {
                table.rows.push_back({rule.id, rule.title, *rule.notJudged});
            }
        }
        const std::size_t count = table.rows.size();
        m_title->setText(count == 0 ? u"Every rule could judge this run."_s
                                    : u"%1 rules could not judge this run: that they found nothing does not "
                                      u"mean that nothing is there."_s.arg(count));
        m_table->setTable(std::move(table));
    }

private:
    std::shared_ptr<const document::Document> m_document;
    QLabel* m_title;
    ReportTable* m_table;
};

} // namespace

RINGSIDE_VIEW(
    not_judged, .title = "Not judged",
    .help = "The rules that could not judge this run, and what they lacked", .order = 13,
    .place = Place::Right,
    .create = [](Navigator&, QWidget* parent) -> View* { return new NotJudgedView(parent); });

} // namespace ringside::gui::view_not_judged
