// SPDX-License-Identifier: Apache-2.0
// Judges a job that hangs while `ringside record` runs it, prints the verdict, and writes it into the run
// directory: HOST.verdict.txt and HOST.verdict.json.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace ringside::cli {

class HangVerdict final {
public:
    explicit HangVerdict(std::filesystem::path run) : m_run(std::move(run)) {}

    /// A process hangs. The verdict waits some seconds, so that the others notice it, too, and that stacks
    /// and the answer of NCCL's RAS are there; and longer while the rank that the others wait for computes or
    /// is busy with storage, as it does in a checkpoint, a compilation or an evaluation.
    void onHang();
    /// Judges if it is time. Takes seconds then, in a process of its own, and never throws.
    void look();

private:
    std::filesystem::path m_run;
    std::int64_t m_sinceNs = 0; ///< when a process hung first; with m_dueNs
    std::optional<std::int64_t> m_dueNs;
};

} // namespace ringside::cli
