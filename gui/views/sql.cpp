// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over the run, with its tables beside it. The analyzer runs it, in the background and with limits; the
// run is only read.
#include "base/text.h"
#include "base/theme.h"
#include "models/answer_model.h"
#include "query/database.h"
#include "query/examples.h"
#include "views/view.h"

#include <ringside/error.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <thread>

namespace ringside::gui::view_sql {
namespace {

using namespace Qt::StringLiterals;

class SqlView final : public View {
public:
    explicit SqlView(QWidget* parent) : View(parent)
    {
        addSchema();
        addEditor();
        addResult();
        auto* const right = new QWidget(this);
        auto* const lines = new QVBoxLayout(right);
        lines->setContentsMargins(0, 0, 0, 0);
        auto* const both = new QSplitter(Qt::Vertical, right);
        both->addWidget(m_editor);
        auto* const below = new QWidget(both);
        auto* const belowLines = new QVBoxLayout(below);
        belowLines->setContentsMargins(0, 0, 0, 0);
        belowLines->setSpacing(4);
        belowLines->addLayout(controls());
        belowLines->addWidget(m_message);
        belowLines->addWidget(m_rows, 1);
        both->addWidget(below);
        both->setSizes({150, 350});
        lines->addWidget(both);
        auto* const all = new QSplitter(this);
        all->addWidget(m_schema);
        all->addWidget(right);
        all->setStretchFactor(1, 1);
        all->setSizes({200, 800});
        auto* const page = new QVBoxLayout(this);
        page->setContentsMargins(0, 0, 0, 0);
        page->addWidget(all);
        setFocusProxy(m_editor);
        setRunning(false);
    }

    void setSession(const Session& session) override
    {
        if (m_report == session.report) {
            return;
        }
        if (session.isFollowed) {
            if (!m_isRunning) {
                m_report = session.report;
                m_database.reset(); // opened by the next question; an answer stays until then
            }
            return;
        }
        m_report = session.report;
        m_paths = session.paths;
        m_worker = {}; // belongs to the run before
        m_database.reset();
        m_schema->clear();
        m_model->setAnswer(nullptr);
        if (isVisible()) {
            openDatabase();
        }
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        View::showEvent(event);
        if (m_report && m_schema->topLevelItemCount() == 0 && !m_isRunning) {
            openDatabase();
        }
    }

private:
    struct Result {
        std::shared_ptr<query::Database> database;
        std::shared_ptr<const query::Answer> answer; ///< null: no statement was run
        QString failure;
    };

    void addSchema()
    {
        m_schema = new QTreeWidget(this);
        m_schema->setAccessibleName(u"Tables and columns"_s);
        m_schema->setHeaderLabel(u"Tables and columns"_s);
        m_schema->setToolTip(u"Press Enter or double-click to insert the name into the SQL"_s);
        connect(m_schema, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
            m_editor->insertPlainText(item->text(0));
            m_editor->setFocus();
        });
    }

    void addEditor()
    {
        m_editor = new QPlainTextEdit(this);
        m_editor->setObjectName(u"sql"_s);
        m_editor->setAccessibleName(u"SQL"_s);
        m_editor->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
        m_editor->setTabChangesFocus(true);
        m_editor->setPlaceholderText(u"One SQLite statement that only reads. Ctrl+Enter runs it."_s);
        m_editor->setPlainText(toQt(query::examples().front().sql));
        connect(m_editor, &QPlainTextEdit::textChanged, this, [this] { m_editor->setExtraSelections({}); });
    }

    void addResult()
    {
        m_message = new QLabel(this);
        m_message->setObjectName(u"sqlMessage"_s);
        m_message->setWordWrap(true);
        m_message->setContentsMargins(6, 0, 6, 0);
        m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_model = new AnswerModel(this);
        auto* const sorted = new QSortFilterProxyModel(this);
        sorted->setSourceModel(m_model);
        sorted->setSortRole(AnswerModel::kSortRole);
        m_rows = new QTableView(this);
        m_rows->setAccessibleName(u"Rows of the answer"_s);
        m_rows->setModel(sorted);
        m_rows->setSortingEnabled(true);
        m_rows->setAlternatingRowColors(true);
        m_rows->setTabKeyNavigation(false);
        m_rows->setWordWrap(false);
        m_rows->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    }

    QToolButton* button(QAction* action)
    {
        auto* const each = new QToolButton(this);
        each->setDefaultAction(action);
        each->setToolButtonStyle(Qt::ToolButtonTextOnly);
        return each;
    }

    QAction* action(const QString& text, const QString& help, const QKeySequence& key,
                    const std::function<void()>& act)
    {
        auto* const each = new QAction(text, this);
        each->setToolTip(help);
        each->setShortcut(key);
        each->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(each, &QAction::triggered, this, act);
        addAction(each);
        return each;
    }

    QSpinBox* limit(const QString& name, const QString& suffix, int most, int value)
    {
        auto* const box = new QSpinBox(this);
        box->setRange(1, most);
        box->setValue(value);
        box->setPrefix(u"at most "_s);
        box->setSuffix(suffix);
        box->setGroupSeparatorShown(true);
        box->setAccessibleName(name);
        box->setToolTip(name);
        return box;
    }

    QHBoxLayout* controls()
    {
        m_run = action(u"Run"_s, u"Run the SQL"_s, QKeySequence(u"Ctrl+Return"_s), [this] { startQuery(); });
        m_cancel = action(u"Stop"_s, u"Stop the running SQL"_s, QKeySequence(u"Esc"_s),
                          [this] { m_worker.request_stop(); });
        m_copy = action(u"Copy as CSV"_s, u"Copy all rows of the answer as comma-separated values"_s,
                        QKeySequence(u"Ctrl+Shift+C"_s), [this] { copy(); });
        auto* const examples = new QToolButton(this);
        examples->setText(u"Examples"_s);
        examples->setToolTip(u"Example statements"_s);
        examples->setPopupMode(QToolButton::InstantPopup);
        auto* const menu = new QMenu(examples);
        for (const query::Example& example : query::examples()) {
            menu->addAction(toQt(example.title), this,
                            [this, &example] { m_editor->setPlainText(toQt(example.sql)); });
        }
        examples->setMenu(menu);
        m_mostRows = limit(u"Row limit"_s, u" rows"_s, 1'000'000, 10'000);
        m_mostSeconds = limit(u"Time limit"_s, u" s"_s, 3600, 10);
        auto* const line = new QHBoxLayout;
        line->setContentsMargins(6, 4, 6, 0);
        for (QWidget* const each : std::initializer_list<QWidget*>{
                 button(m_run), button(m_cancel), examples, m_mostRows, m_mostSeconds, button(m_copy)}) {
            line->addWidget(each);
        }
        line->addStretch();
        return line;
    }

    void setRunning(bool running)
    {
        m_isRunning = running;
        m_run->setEnabled(!running && m_report);
        m_cancel->setEnabled(running);
        m_copy->setEnabled(!running && m_model->columnCount() > 0);
    }

    void openDatabase() { work({}, u"Preparing: files are merged or imported first …"_s); }

    void startQuery()
    {
        m_editor->setExtraSelections({});
        work(m_editor->toPlainText(), u"Running …"_s);
    }

    /// Opens the run if it is not open yet, then runs `sql` unless it is null.
    void work(const QString& sql, const QString& message)
    {
        showStatus(message, false);
        setRunning(true);
        const query::Limits limits{
            static_cast<std::size_t>(m_mostRows->value()), std::chrono::seconds(m_mostSeconds->value()), {}};
        m_worker = std::jthread([this, sql, limits, paths = m_paths, report = m_report,
                                 database = m_database](const std::stop_token& stop) {
            query::Limits stoppable = limits;
            stoppable.stop = stop;
            const Result result = resultOf(paths, database, sql, stoppable);
            QMetaObject::invokeMethod(
                this,
                [this, result, report] {
                    if (report == m_report) {
                        show(result);
                    }
                },
                Qt::QueuedConnection);
        });
    }

    static Result resultOf(const Paths& paths, std::shared_ptr<query::Database> database, const QString& sql,
                           const query::Limits& limits)
    {
        Result result{std::move(database), nullptr, {}};
        try {
            if (!result.database) {
                importers::Progress nobody;
                result.database = std::make_shared<query::Database>(paths, nobody);
            }
            if (!sql.isNull()) {
                result.answer =
                    std::make_shared<const query::Answer>(result.database->ask(sql.toStdString(), limits));
            }
        } catch (const Error& error) {
            result.failure = toQt(error.what()) + u"\n"_s + toQt(error.hint);
        } catch (const std::exception& error) {
            result.failure = toQt(error.what());
        }
        return result;
    }

    using View::show;
    void show(const Result& result)
    {
        if (result.database && result.database != m_database) {
            m_database = result.database;
            fillSchema();
        }
        if (!result.failure.isEmpty()) {
            showStatus(result.failure, true);
        } else if (!result.answer) {
            showStatus(u"Ctrl+Enter runs the SQL above."_s, false);
        } else if (result.answer->mistake) {
            showMistake(*result.answer->mistake);
        } else {
            m_model->setAnswer(result.answer);
            m_answer = result.answer;
            m_rows->sortByColumn(-1, Qt::AscendingOrder);
            fitColumns();
            showStatus(u"%L1 rows. "_s.arg(result.answer->rows.size()) + toQt(query::endText(*result.answer)),
                       false);
        }
        setRunning(false);
    }

    void fitColumns()
    {
        constexpr int kWidest = 420;
        m_rows->resizeColumnsToContents();
        for (int i = 0; i < m_model->columnCount(); ++i) {
            m_rows->setColumnWidth(i, std::min(kWidest, m_rows->columnWidth(i)));
        }
    }

    void showMistake(const query::Mistake& mistake)
    {
        const std::string sql = m_editor->toPlainText().toStdString();
        showStatus(toQt(query::mistakeText(sql, mistake)), true);
        if (!mistake.offset) {
            return;
        }
        QTextCursor place(m_editor->document());
        place.setPosition(static_cast<int>(toQt(std::string_view(sql).substr(0, *mistake.offset)).size()));
        m_editor->setTextCursor(place);
        place.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
        if (!place.hasSelection()) {
            place.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
        }
        QTextEdit::ExtraSelection mark;
        mark.cursor = place;
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(themeOf(palette()).problem);
        m_editor->setExtraSelections({mark});
    }

    void fillSchema()
    {
        m_schema->clear();
        for (const query::TableNames& table : m_database->tables()) {
            auto* const item = new QTreeWidgetItem(m_schema, {toQt(table.name)});
            for (const std::string& column : table.columns) {
                new QTreeWidgetItem(item, {toQt(column)});
            }
        }
    }

    void showStatus(const QString& text, bool wrong)
    {
        m_message->setText(wrong ? QString(u"\u26A0 "_s + text) : text);
    }

    void copy()
    {
        QApplication::clipboard()->setText(
            QString::fromStdString(document::csvTable(query::tableOf(*m_answer))));
        showStatus(u"Copied %L1 rows."_s.arg(m_answer->rows.size()), false);
    }

    std::shared_ptr<const report::Report> m_report;
    Paths m_paths;
    std::shared_ptr<query::Database> m_database;
    std::shared_ptr<const query::Answer> m_answer; ///< null: none yet
    bool m_isRunning = false;
    QTreeWidget* m_schema = nullptr;
    QPlainTextEdit* m_editor = nullptr;
    QLabel* m_message = nullptr;
    AnswerModel* m_model = nullptr;
    QTableView* m_rows = nullptr;
    QSpinBox* m_mostRows = nullptr;
    QSpinBox* m_mostSeconds = nullptr;
    QAction* m_run = nullptr;
    QAction* m_cancel = nullptr;
    QAction* m_copy = nullptr;
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace

RINGSIDE_VIEW(
    sql, .title = "SQL", .help = "Queries the tables of the run with SQL", .order = 12,
    .place = Place::Bottom,
    .create = [](Navigator&, QWidget* parent) -> View* { return new SqlView(parent); });

} // namespace ringside::gui::view_sql
