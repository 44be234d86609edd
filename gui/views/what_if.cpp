// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts the step time after a change: the analyzer replays the recorded steps in the background.
#include "base/text.h"
#include "views/view.h"
#include "whatif/whatif.h"

#include <ringside/error.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QFontDatabase>
#include <QFormLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <initializer_list>
#include <thread>

namespace ringside::gui::view_what_if {
namespace {

using namespace Qt::StringLiterals;

class WhatIfView final : public View {
public:
    explicit WhatIfView(QWidget* parent) : View(parent)
    {
        auto* const form = new QFormLayout;
        m_noLateRanks = check(form, u"No rank computes longer than the median"_s);
        m_noDataStalls = check(form, u"The next batch is always ready"_s);
        m_noBlockingCalls = check(form, u"The host never waits for the GPU"_s);
        m_equalBatches = check(form, u"All ranks have batches of equal length"_s);
        m_fullOverlap = check(form, u"Nothing waits for communication"_s);
        m_bandwidth = factor(form, u"Link bandwidth"_s);
        m_latency = factor(form, u"Link latency"_s);
        m_bucket = new QSpinBox(this);
        m_bucket->setRange(0, 4096);
        m_bucket->setAccessibleName(u"Gradient buckets"_s);
        m_bucket->setSuffix(u" MiB"_s);
        m_bucket->setSpecialValueText(u"as recorded"_s);
        form->addRow(u"Gradient &buckets"_s, m_bucket);
        m_gradients = new QComboBox(this);
        m_gradients->setAccessibleName(u"Gradients"_s);
        m_gradients->addItems({u"as recorded"_s, u"fp16"_s, u"bf16"_s});
        form->addRow(u"&Gradients"_s, m_gradients);
        m_accumulate = new QSpinBox(this);
        m_accumulate->setRange(1, 4096);
        m_accumulate->setAccessibleName(u"Reduce gradients once in"_s);
        m_accumulate->setSuffix(u" batches"_s);
        m_accumulate->setSpecialValueText(u"as recorded"_s);
        form->addRow(u"Reduce gradients &once in"_s, m_accumulate);
        setFocusProxy(m_noLateRanks);
        for (QWidget* const field :
             std::initializer_list<QWidget*>{m_bandwidth, m_latency, m_bucket, m_gradients, m_accumulate}) {
            field->setFocusPolicy(Qt::StrongFocus); // and not by the wheel
            field->installEventFilter(this);
        }
        m_predict = new QPushButton(u"&Predict the step time"_s, this);
        m_predict->setToolTip(u"Replays the recorded steps with these changes"_s);
        form->addRow(m_predict);
        m_answer = new QPlainTextEdit(this);
        m_answer->setReadOnly(true);
        m_answer->setAccessibleName(u"Prediction"_s);
        m_answer->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
        m_answer->setPlaceholderText(u"Choose changes, then predict."_s);
        auto* const all = new QVBoxLayout(this);
        all->addLayout(form);
        all->addWidget(m_answer, 1);
        connect(m_predict, &QPushButton::clicked, this, [this] { predict(); });
    }

    void setSession(const Session& session) override
    {
        if (session.isFollowed) {
            m_report = session.report; // an answer stays until the next question
        } else if (m_report != session.report) {
            m_report = session.report;
            ++m_question; // a running answer belongs to the run before
            m_predict->setEnabled(true);
            m_answer->clear();
        }
    }

protected:
    /// A wheel that scrolls the form must not change the fields that pass below it.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const auto* const field = qobject_cast<QWidget*>(watched);
        if (event->type() == QEvent::Wheel && field != nullptr && !field->hasFocus()) {
            event->ignore();
            return true;
        }
        return View::eventFilter(watched, event);
    }

private:
    QCheckBox* check(QFormLayout* form, const QString& text)
    {
        auto* const box = new QCheckBox(text, this);
        form->addRow(box);
        return box;
    }

    QDoubleSpinBox* factor(QFormLayout* form, const QString& text)
    {
        auto* const box = new QDoubleSpinBox(this);
        box->setRange(0.01, 1000);
        box->setValue(1);
        box->setPrefix(u"× "_s);
        box->setAccessibleName(text);
        form->addRow(text, box);
        return box;
    }

    [[nodiscard]] whatif::Changes changes() const
    {
        constexpr std::uint64_t kMebibyte = 1048576;
        whatif::Changes result;
        result.noLateRanks = m_noLateRanks->isChecked();
        result.noDataStalls = m_noDataStalls->isChecked();
        result.noBlockingCalls = m_noBlockingCalls->isChecked();
        result.equalBatches = m_equalBatches->isChecked();
        result.fullOverlap = m_fullOverlap->isChecked();
        if (m_bandwidth->value() != 1) {
            result.bandwidth.push_back({{}, m_bandwidth->value()});
        }
        if (m_latency->value() != 1) {
            result.latency.push_back({{}, m_latency->value()});
        }
        if (m_bucket->value() > 0) {
            result.bucketBytes = static_cast<std::uint64_t>(m_bucket->value()) * kMebibyte;
        }
        if (m_gradients->currentIndex() > 0) {
            result.gradients = m_gradients->currentText().toStdString();
        }
        result.accumulate = static_cast<unsigned>(m_accumulate->value());
        return result;
    }

    static QString answerOf(const report::Report& report, const whatif::Changes& changes)
    {
        try {
            return toQt(whatif::renderText(whatif::WhatIf(report.model).predict(changes)));
        } catch (const Error& error) {
            return toQt(error.what()) + u"\n"_s + toQt(error.hint);
        } catch (const std::exception& error) {
            return toQt(error.what());
        }
    }

    void predict()
    {
        if (!m_report) {
            return;
        }
        m_predict->setEnabled(false);
        m_answer->setPlainText(u"Replaying …"_s);
        m_worker = std::jthread([this, report = m_report, wanted = changes(), question = ++m_question] {
            const QString answer = answerOf(*report, wanted);
            QMetaObject::invokeMethod(
                this,
                [this, answer, question] {
                    if (question == m_question) {
                        m_answer->setPlainText(answer);
                        m_predict->setEnabled(true);
                    }
                },
                Qt::QueuedConnection);
        });
    }

    std::shared_ptr<const report::Report> m_report;
    QCheckBox* m_noLateRanks;
    QCheckBox* m_noDataStalls;
    QCheckBox* m_noBlockingCalls;
    QCheckBox* m_equalBatches;
    QCheckBox* m_fullOverlap;
    QDoubleSpinBox* m_bandwidth;
    QDoubleSpinBox* m_latency;
    QSpinBox* m_bucket;
    QComboBox* m_gradients;
    QSpinBox* m_accumulate;
    QPushButton* m_predict;
    QPlainTextEdit* m_answer;
    int m_question = 0;
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace

RINGSIDE_VIEW(
    what_if, .title = "What if", .help = "Predicts the step time after a change", .order = 8,
    .place = Place::Right,
    .create = [](Navigator&, QWidget* parent) -> View* { return new WhatIfView(parent); });

} // namespace ringside::gui::view_what_if
