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
constexpr std::chrono::seconds kLimit(15); ///< of a host that has hardly any time left for us

void writeFile(const std::filesystem::path& path, std::string_view text)
{
    output::OutputFile file(path, output::Existing::Replace);
    file.write(text);
    file.close();
}

/// Writes the verdict and its first line to stdout. Nothing if nothing is stuck any more.
int judgeAndWrite(const std::filesystem::path& run)
{
    const hang::Report report = judgeHang({run}, hang::Options{}, false);
    if (report.kind == hang::Kind::Nothing) {
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
    m_dueNs = m_dueNs ? m_dueNs : host::monotonicNs() + kSettleNs;
}

void HangVerdict::look()
{
    if (!m_dueNs || host::monotonicNs() < *m_dueNs) {
        return;
    }
    m_dueNs.reset();
    const stacks::BoundedResult result = stacks::runBounded([this] { return judgeAndWrite(m_run); }, kLimit);
    if (!result.error.empty()) {
        output::printMessage("ringside: warning: no verdict of the hang: {}\n", result.error);
    } else if (!result.output.empty()) {
        output::printMessage("ringside: {}", result.output);
    }
}

} // namespace ringside::cli
