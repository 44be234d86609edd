// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a part of a run as a trace for another timeline viewer, in the background. The new file replaces an
// old one only when it is complete.
#pragma once
#include "base/open_job.h"
#include "export/exporter.h"
#include "report/report.h"

namespace ringside::gui {

class SliceExport final : public QObject {
    Q_OBJECT
public:
    /// A path that ends in .json becomes a Chrome trace, any other an archive for Perfetto.
    SliceExport(Session session, exporting::Slice slice, QString path, QObject* parent = nullptr);
    /// Cancels the export and waits until its thread has ended.
    ~SliceExport() override;
    SliceExport(const SliceExport&) = delete;
    SliceExport& operator=(const SliceExport&) = delete;

    void start();
    /// Emits no signal after this call, and leaves no file.
    void cancel();

signals:
    void progressed(int percent);
    void finished(const QString& path);
    void failed(const ringside::gui::Failure& failure);

private:
    void run();
    void write();
    void post(const std::function<void()>& action);

    Session m_session;
    exporting::Slice m_slice;
    QString m_path;
    std::atomic<bool> m_cancelled{false};
    std::jthread m_thread;
};

/// Asks for a file, and writes the slice there with a dialog that shows progress and failures.
void exportSlice(QWidget* parent, const Session& session, const exporting::Slice& slice);

/// Returns the report as an HTML page.
[[nodiscard]] std::string htmlReport(const report::Report& report);

} // namespace ringside::gui
