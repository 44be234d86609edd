// SPDX-License-Identifier: Apache-2.0
#include "cli/hang_verdict.h"

#include "cli/judge_hang.h"
#include "host/monotonic.h"
#include "host/process.h"
#include "output/messages.h"
#include "output/output_file.h"
#include "stacks/bounded_child.h"
#include "words/render.h"

#include <fmt/format.h>

#include <cstdio>

namespace ringside::cli {
namespace {

constexpr std::int64_t kSettleNs = 3'000'000'000;
/// While the rank that the others wait for works, the verdict is asked for again after this time.
constexpr std::int64_t kAgainNs = 15'000'000'000;
/// Twice the time after which PyTorch gives up a collective: a rank that turns in a loop is told then.
constexpr std::int64_t kLongestWorkNs = 20LL * 60 * 1'000'000'000;
/// The child's output where the verdict must wait.
constexpr std::string_view kWorks = "works";
constexpr std::chrono::seconds kLimit(15); ///< of a host that has hardly any time left for us

void writeFile(const std::filesystem::path& path, std::string_view text)
{
    output::OutputFile file(path, output::Existing::Replace);
    file.write(text);
    file.close();
}

/// Writes the verdict and its first line to stdout. Nothing if nothing is stuck any more; kWorks if the
/// verdict can wait, because the rank that the others wait for works. `canWait` is false when it has worked
/// for long; while it moves data, the verdict waits nevertheless.
int judgeAndWrite(const std::filesystem::path& run, bool canWait)
{
    const hang::Report report = judgeHang({run}, hang::Options{}, false);
    if (report.kind == hang::Kind::Nothing) {
        return 0;
    }
    const hang::Work work = hang::originWork(report);
    if (work == hang::Work::MovesData || (canWait && work == hang::Work::MayTurnInALoop)) {
        fmt::print("{}", kWorks);
        std::fflush(stdout);
        return 0;
    }
    const std::filesystem::path file = run / (host::hostName() + ".verdict");
    writeFile(file.string() + ".json", hang::formatJson(report));
    writeFile(file.string() + ".txt", hang::formatText(report));
    fmt::print("{} (confidence: {}; {}.txt)\n", words::render(report.summary, {}),
               hang::confidenceName(report.confidence), file.string());
    std::fflush(stdout);
    return 0;
}

} // namespace

void HangVerdict::onHang()
{
    if (!m_dueNs) {
        m_sinceNs = host::monotonicNs();
        m_dueNs = m_sinceNs + kSettleNs;
    }
}

void HangVerdict::look()
{
    const std::int64_t nowNs = host::monotonicNs();
    if (!m_dueNs || nowNs < *m_dueNs) {
        return;
    }
    m_dueNs.reset();
    const bool canWait = nowNs - m_sinceNs < kLongestWorkNs;
    const stacks::BoundedResult result =
        stacks::runBounded([&] { return judgeAndWrite(m_run, canWait); }, kLimit);
    if (result.output == kWorks) {
        m_dueNs = nowNs + kAgainNs;
    } else if (!result.error.empty()) {
        output::printMessage("ringside: warning: no verdict of the hang: {}\n", result.error);
    } else if (!result.output.empty()) {
        output::printMessage("ringside: {}", result.output);
    }
}

} // namespace ringside::cli
