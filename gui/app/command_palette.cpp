// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_palette.h"

#include "base/navigator.h"
#include "base/text.h"

#include <QAction>
#include <QDockWidget>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QSet>
#include <QVBoxLayout>

#include <algorithm>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

QString lineOf(const QAction& action)
{
    const QString key = action.shortcut().toString(QKeySequence::NativeText);
    return commandName(action) + (key.isEmpty() ? QString() : QString(u"   ("_s + key + u")"_s)) +
           (action.toolTip().isEmpty() ? QString() : QString(u" — "_s + action.toolTip()));
}

bool containsAll(const QString& line, const QStringList& words)
{
    return std::ranges::all_of(words,
                               [&](const QString& word) { return line.contains(word, Qt::CaseInsensitive); });
}

} // namespace

QString commandName(const QAction& action)
{
    QString name = action.text();
    name.remove(QLatin1Char('&'));
    name.remove(u"…"_s);
    return name;
}

std::vector<QAction*> commandsOf(const QWidget& window)
{
    std::vector<QAction*> commands;
    // several timelines list the same command: it is listed once and runs in the first one
    QSet<QString> lines;
    for (QAction* const action : window.findChildren<QAction*>()) {
        const bool own =
            !action->objectName().startsWith("qt_"_L1) && !action->objectName().startsWith("_q"_L1);
        const bool menu = action->menu<QMenu*>() != nullptr;
        // A dock's own switch has the view's name, too, and would close a view that is shown.
        const bool isSwitch = qobject_cast<const QDockWidget*>(action->parent()) != nullptr;
        const bool real =
            !isSwitch && !action->isSeparator() && action->isEnabled() && !action->text().isEmpty();
        if (own && !menu && real && !lines.contains(lineOf(*action))) {
            lines.insert(lineOf(*action));
            commands.push_back(action);
        }
    }
    std::ranges::stable_sort(commands, [](const QAction* a, const QAction* b) {
        return commandName(*a).compare(commandName(*b), Qt::CaseInsensitive) < 0;
    });
    return commands;
}

std::vector<Choice> placesOf(const Session& session, Navigator& navigator)
{
    std::vector<Choice> places;
    if (!session.report) {
        return places;
    }
    for (const document::Finding* const finding : session.document->findings()) {
        places.push_back(
            {u"Finding: "_s + toQt(finding->title), [&navigator, finding, owner = session.document] {
                 emit navigator.viewRequested(u"findings"_s);
                 if (!finding->places.empty()) {
                     const document::Place& place = finding->places.front();
                     emit navigator.placeRequested({place.startNs, place.endNs}, {place.rank},
                                                   toHtml(place.text));
                 }
             }});
    }
    for (const model::Rank& rank : session.report->model.ranks) {
        if (session.timeline) {
            const QString text = u"Rank %1"_s.arg(rank.rank);
            places.push_back({text, [&navigator, text, number = rank.rank, all = session.timeline->extent] {
                                  emit navigator.viewRequested(u"timeline"_s);
                                  emit navigator.placeRequested(all, {number}, text);
                              }});
        }
    }
    return places;
}

CommandPalette::CommandPalette(QWidget& window, const std::vector<Choice>& places)
    : QDialog(&window), m_text(new QLineEdit(this)), m_list(new QListWidget(this))
{
    constexpr QSize kSize(620, 380);
    for (QAction* const command : commandsOf(window)) {
        m_choices.push_back({lineOf(*command), [action = QPointer(command)] {
                                 if (action) {
                                     action->trigger();
                                 }
                             }});
    }
    m_choices.insert(m_choices.end(), places.begin(), places.end());
    setWindowTitle(u"Commands, findings and ranks"_s);
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kSize);
    m_text->setAccessibleName(u"Command"_s);
    m_text->setPlaceholderText(u"Type parts of a command, a finding or the number of a rank"_s);
    m_text->setClearButtonEnabled(true);
    m_text->installEventFilter(this);
    m_list->setAccessibleName(u"Commands, findings and ranks that match"_s);
    m_list->setUniformItemSizes(true);
    auto* const lines = new QVBoxLayout(this);
    lines->addWidget(m_text);
    lines->addWidget(m_list);
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString& text) { filter(text); });
    connect(m_text, &QLineEdit::returnPressed, this, [this] { runChosen(); });
    connect(m_list, &QListWidget::itemActivated, this, [this] { runChosen(); });
    filter({});
}

/// Lines that begin with what was typed come first: "rank 3" is a rank before it is words of a command.
void CommandPalette::filter(const QString& text)
{
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_list->clear();
    int first = 0;
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        const QString& line = m_choices[i].line;
        if (containsAll(line, words)) {
            auto* const item = new QListWidgetItem(line);
            item->setData(Qt::UserRole, QVariant::fromValue<qulonglong>(i));
            const bool begins = !text.isEmpty() && line.startsWith(text, Qt::CaseInsensitive);
            m_list->insertItem(begins ? first++ : m_list->count(), item);
        }
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::runChosen()
{
    const QListWidgetItem* const item = m_list->currentItem();
    if (item == nullptr) {
        return;
    }
    const std::function<void()> act = m_choices[item->data(Qt::UserRole).toULongLong()].act;
    close(); // closes first: the command may open a window of its own
    act();
}

/// Up and Down move in the list while the text field keeps the focus.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_text && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int rows = m_list->count();
        if ((key == Qt::Key_Up || key == Qt::Key_Down) && rows > 0) {
            m_list->setCurrentRow((m_list->currentRow() + (key == Qt::Key_Down ? 1 : rows - 1)) % rows);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

QString helpHtml(const QWidget& window)
{
    QString withKey;
    QString without;
    for (const QAction* const action : commandsOf(window)) {
        QStringList keys;
        for (const QKeySequence& key : action->shortcuts()) {
            keys.append(key.toString(QKeySequence::NativeText).toHtmlEscaped());
        }
        const QString row =
            u"<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td>%3</td></tr>"_s.arg(
                keys.join(u", "_s), commandName(*action).toHtmlEscaped(), action->toolTip().toHtmlEscaped());
        (keys.isEmpty() ? without : withKey) += row;
    }
    return u"<table cellpadding=2>"_s + withKey + without + u"</table>"_s;
}

} // namespace ringside::gui
