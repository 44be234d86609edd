// SPDX-License-Identifier: Apache-2.0
// Fuzz target: whatever a trace file holds, once it opens it gives a report in every format, and a verdict on
// what hangs.
#include "hang/hang.h"
#include "input_file.h"
#include "report/format.h"

#include <ringside/error.h>
#include <ringside/trace/reader.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ringside;
    const ringside::fuzz::InputFile file(data, size, "-report.db");
    trace::RunTrace run;
    try {
        run = trace::openRun(file.path());
    } catch (const Error&) {
        return 0; // refusing is right for most inputs
    }
    const std::vector<hang::ProcessNow> now(run.processes.size(), {hang::Life::Running, 0, true});
    const hang::Report stuck = hang::analyze(run, now, {});
    if (hang::formatText(stuck).empty() || hang::formatJson(stuck).empty()) {
        __builtin_trap();
    }
    const report::Report report = report::buildReport(std::move(run), {});
    for (const report::Format& format : report::formats()) {
        if (format.writeFolder == nullptr && format.render(report).empty()) {
            __builtin_trap();
        }
    }
    return 0;
}
