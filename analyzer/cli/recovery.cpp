// SPDX-License-Identifier: Apache-2.0
#include "cli/recovery.h"

#include "output/messages.h"
#include "trace/shell_word.h"
#include "values/text.h"

#include <ringside/trace/recover.h>
#include <ringside/trace/ring_folders.h>

#include <fmt/format.h>

#include <exception>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

std::string sizeOf(const trace::RingFolder& folder)
{
    return values::byteText(static_cast<double>(folder.bytes));
}

void clearOne(const trace::RingFolder& folder)
{
    std::error_code absent;
    const fs::file_status run = fs::status(folder.run, absent);
    if (run.type() != fs::file_type::not_found && !fs::is_directory(run)) {
        output::printMessage(
            "ringside: {} was killed and left {} in {}; its run {} cannot be read: {}. Left as it "
            "is\n",
            folder.process, sizeOf(folder), folder.path.string(), folder.run.string(), absent.message());
        return;
    }
    if (fs::is_directory(run)) {
        const int files = trace::copyLeftoverRings(folder.run);
        if (!fs::exists(folder.path, absent)) {
            output::printMessage(
                "ringside: {} was killed and left {} in memory: {} files moved into its run\n  Next: "
                "ringside recover {}\n",
                folder.process, sizeOf(folder), files, trace::shellWord(folder.run.string()));
            return;
        }
    }
    if (trace::removeRingFolder(folder)) {
        output::printMessage(
            "ringside: {} was killed and left {} in {}; its run {} does not exist any more: removed\n",
            folder.process, sizeOf(folder), folder.path.string(), folder.run.string());
    }
}

} // namespace

void recoverAndReport(const fs::path& run, WhenNothing whenNothing, const fs::path& rings)
{
    const trace::RecoverReport report = trace::recover(run, rings);
    for (const auto& process : report.processes) {
        output::printNote("ringside: {}: {} records recovered, {} dropped, {} calls in flight\n",
                          process.name, process.records, process.dropped, process.inFlight);
    }
    for (const std::string& reason : report.skipped) {
        output::printMessage("ringside: {}\n", reason);
    }
    if (whenNothing == WhenNothing::Report && report.processes.empty() && report.skipped.empty()) {
        output::printNote("ringside: nothing to recover: no process of {} left rings\n", run.string());
    }
}

void clearRingFolders()
{
    for (const trace::RingFolder& folder : trace::findRingFolders()) {
        try {
            if (folder.runs && !*folder.runs) {
                clearOne(folder);
            }
        } catch (const std::exception& error) {
            output::printMessage(
                "ringside: warning: {} has rings of a killed process: {}\n  Try: ringside recover {}\n",
                folder.path.string(), error.what(), trace::shellWord(folder.run.string()));
        }
    }
}

void listRingFolders()
{
    bool any = false;
    for (const trace::RingFolder& folder : trace::findRingFolders()) {
        const char* const state = !folder.runs ? "unknown" : *folder.runs ? "running" : "gone";
        fmt::print("{}: process {} ({}), {}{}\n", folder.path.string(),
                   folder.process.empty() ? "unknown" : folder.process, state, sizeOf(folder),
                   folder.run.empty() || (folder.runs && *folder.runs)
                       ? ""
                       : ": ringside recover " + trace::shellWord(folder.run.string()));
        any = true;
    }
    if (!any) {
        fmt::print("none of your processes left rings in {}\n", trace::kRingPlace);
    }
}

} // namespace ringside::cli
