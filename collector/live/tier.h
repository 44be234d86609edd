// SPDX-License-Identifier: Apache-2.0
// Sums up steps from the rows that the drain thread writes, stores the sums in the trace, and tells who
// watches how this process does (ringside/trace/live_snapshot.h).
#pragma once
#include "host/host_lock.h"
#include "live/live_part.h"
#include "record/session.h"
#include "summary/step_summarizer.h"

#include <ringside/trace/writer.h>

#include <string>

namespace ringside::collector::live {

class Tier final : public Participant, private trace::RowObserver {
public:
    void watch(trace::Writer& writer) override;
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;
    void withdraw() override;
    void abandon() override { withdraw(); }

private:
    void defineString(trace::StringId id, std::string_view text) override
    {
        m_summarizer.defineString(id, text);
    }
    void see(const trace::CommunicatorRow& row) override { m_part.see(row); }
    void see(const trace::CollectiveCallRow& row) override
    {
        m_summarizer.see(row);
        m_part.see(row);
    }
    void see(const trace::GraphLaunchRow& row) override
    {
        m_summarizer.see(row);
        m_part.see(row);
    }
    void see(const trace::StepRow& row) override { m_summarizer.see(row); }
    void see(const trace::RangeRow& row) override { m_summarizer.see(row); }
    void see(const trace::ApiCallRow& row) override { m_summarizer.see(row); }
    void see(const trace::LaunchRow& row) override { m_summarizer.see(row); }
    void see(const trace::CallCorrelationRow& row) override { m_summarizer.see(row); }
    void see(const trace::KernelRow& row) override { m_summarizer.see(row); }
    void see(const trace::CopyRow& row) override { m_summarizer.see(row); }
    void see(const trace::SeriesRow& row) override { m_part.see(row); }
    void see(const trace::SampleRow& row) override { m_part.see(row); }
    void see(const trace::HangRow& row) override { m_part.see(row); }

    void store(trace::Writer& writer, const std::vector<summary::Summary>& steps);
    void tell(Registry& registry);
    [[nodiscard]] bool looksEmulated();

    summary::StepSummarizer m_summarizer;
    LivePart m_part;
    std::string m_file; ///< HOST-PID.live; empty: not asked for, or it cannot be written
    std::int64_t m_nextNs = 0;
    bool m_emulated = false;
    int m_looks = 0; ///< that told it
};

} // namespace ringside::collector::live
