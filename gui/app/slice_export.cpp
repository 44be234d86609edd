// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/slice_export.h"

#include "base/text.h"
#include "report/format.h"

#include <ringside/error.h>

#include <QFileDialog>
#include <QMessageBox>
#include <QProgressDialog>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

struct Stopped {};

const exporting::Exporter& exporterFor(const QString& path)
{
    const std::string_view wanted = path.endsWith(".json"_L1, Qt::CaseInsensitive) ? "chrome" : "perfetto";
    return **std::ranges::find_if(exporting::all(),
                                  [wanted](const exporting::Exporter* each) { return each->id == wanted; });
}

/// Returns a name beside `path` that no file has.
std::filesystem::path unusedBeside(const std::filesystem::path& path)
{
    std::error_code ignored;
    for (int number = 1;; ++number) {
        std::filesystem::path name = path.string() + ".part" + std::to_string(number);
        if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) {
            return name;
        }
    }
}

} // namespace

SliceExport::SliceExport(Session session, exporting::Slice slice, QString path, QObject* parent)
    : QObject(parent), m_session(std::move(session)), m_slice(std::move(slice)), m_path(std::move(path))
{}

SliceExport::~SliceExport()
{
    cancel();
}

void SliceExport::start()
{
    m_thread = std::jthread([this] { run(); });
}

void SliceExport::cancel()
{
    m_cancelled = true;
}

/// Calls `action` on the thread of this object unless the export was cancelled before.
void SliceExport::post(const std::function<void()>& action)
{
    QMetaObject::invokeMethod(
        this,
        [this, action] {
            if (!m_cancelled) {
                action();
            }
        },
        Qt::QueuedConnection);
}

void SliceExport::run()
{
    Failure failure{u"The part of the run was not written"_s, {}, u"Choose another folder, or make room."_s};
    try {
        write();
        return;
    } catch (const Stopped&) {
        return;
    } catch (const Error& error) {
        failure.what = toQt(error.what());
        failure.hint = error.hint.empty() ? failure.hint : toQt(error.hint);
    } catch (const std::bad_alloc&) {
        failure.what = u"There is not enough memory to write %1."_s.arg(m_path);
        failure.hint = u"Choose a shorter time or fewer ranks."_s;
    } catch (const std::exception& error) {
        failure.what = u"%1: %2"_s.arg(m_path, toQt(error.what()));
    }
    post([this, failure] { emit failed(failure); });
}

void SliceExport::write()
{
    const std::filesystem::path path = m_path.toStdString();
    const std::filesystem::path part = unusedBeside(path);
    int told = -1;
    const auto progress = [&](double share) {
        if (m_cancelled) {
            throw Stopped();
        }
        constexpr int kPercent = 100;
        if (const int percent = static_cast<int>(share * kPercent); percent != told) {
            told = percent;
            post([this, percent] { emit progressed(percent); });
        }
    };
    exporterFor(m_path).writeSlice(*m_session.report, part, m_slice, progress);
    std::error_code failed;
    std::filesystem::rename(part, path, failed);
    if (failed) {
        std::filesystem::remove(part);
        throw Error(ErrorCode::Io, path.string() + " cannot be written: " + failed.message(),
                    "Choose another name.");
    }
    post([this] { emit finished(m_path); });
}

void exportSlice(QWidget* parent, const Session& session, const exporting::Slice& slice)
{
    const QString path = QFileDialog::getSaveFileName(
        parent, u"Export a part of the run"_s, u"part.perfetto-trace"_s,
        u"Archive for Perfetto (*.perfetto-trace);;Chrome trace of events (*.json)"_s);
    if (path.isEmpty()) {
        return;
    }
    constexpr int kWhole = 100;
    auto* const dialog = new QProgressDialog(u"Writing %1"_s.arg(path), u"Cancel"_s, 0, kWhole, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(u"Export a part of the run"_s);
    dialog->setAutoReset(false);
    dialog->setValue(0);
    auto* const job = new SliceExport(session, slice, path, dialog);
    QObject::connect(dialog, &QProgressDialog::canceled, job, &SliceExport::cancel);
    QObject::connect(dialog, &QProgressDialog::canceled, dialog, &QWidget::close);
    QObject::connect(job, &SliceExport::progressed, dialog, &QProgressDialog::setValue);
    QObject::connect(job, &SliceExport::finished, dialog, [dialog](const QString& written) {
        dialog->setLabelText(u"Written: %1"_s.arg(written));
        dialog->setValue(kWhole);
        dialog->setCancelButtonText(u"Close"_s);
    });
    QObject::connect(job, &SliceExport::failed, parent, [parent, dialog](const Failure& failure) {
        dialog->close();
        QMessageBox::warning(parent, failure.title, failure.what + u"\n\n"_s + failure.hint);
    });
    job->start();
    dialog->show();
}

std::string htmlReport(const report::Report& report)
{
    return report::formatNamed("html").render(report);
}

} // namespace ringside::gui
