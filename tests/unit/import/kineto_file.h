// SPDX-License-Identifier: Apache-2.0
// Files of the PyTorch profiler that tests make, and the frame through which they are opened.
#pragma once
#include "import/open_run.h"
#include "issue_of.h"
#include "model/build_model.h"
#include "model/model.h"
#include "report/format.h"
#include "report/report.h"
#include "support/temporary_directory.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace ringside::importers {

using test::TemporaryDirectory;

inline constexpr const char* kKernel = "ampere_sgemm";
inline constexpr const char* kAllReduce =
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

inline const Importer& kinetoImporter()
{
    return **std::ranges::find(all(), std::string_view("kineto"), &Importer::id);
}

/// Events in the words of a trace. Times in us.
class Events {
public:
    Events& add(const std::string& event)
    {
        m_text += (m_text.empty() ? "" : ",\n  ") + event;
        return *this;
    }
    Events& complete(const std::string& category, const std::string& name, const std::string& ts,
                     const std::string& dur, const std::string& args = "", int tid = 77, int pid = 4242)
    {
        return add(fmt::format(
            R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
            category, name, pid, tid, ts, dur, args));
    }
    /// A launch and its kernel.
    Events& kernel(const std::string& name, int correlation, int launchUs, int startUs, int durationUs,
                   int stream = 7, const std::string& args = "")
    {
        complete("cuda_runtime", "cudaLaunchKernel", std::to_string(launchUs), "4",
                 fmt::format("\"cbid\": 211, \"correlation\": {}", correlation));
        return complete("kernel", name, std::to_string(startUs), std::to_string(durationUs),
                        fmt::format(R"("device": 0, "context": 1, "stream": {}, "correlation": {}{})", stream,
                                    correlation, args.empty() ? "" : ", " + args),
                        stream, 0);
    }
    Events& step(int number, int startUs, int durationUs)
    {
        return complete("user_annotation", fmt::format("ProfilerStep#{}", number), std::to_string(startUs),
                        std::to_string(durationUs));
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

inline std::string fileText(const Events& events, const std::string& head = "\"schemaVersion\": 1,",
                            const std::string& tail = "")
{
    return "{\n" + head + "\n\"traceEvents\": [\n  " + events.text() + "\n]" + tail + "}\n";
}

class KinetoFile : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& text)
    {
        std::ofstream(m_folder / name, std::ios::binary) << text;
        return m_folder / name;
    }
    trace::RunTrace open(const std::filesystem::path& path)
    {
        Progress progress;
        return openRun({path}, progress);
    }
    trace::ProcessTrace import(const std::string& text)
    {
        trace::RunTrace run = open(write("trace.json", text));
        return std::move(run.processes.front());
    }
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder.path(); }

private:
    TemporaryDirectory m_folder;
};

inline std::string textOf(const report::Report& report, std::string_view format)
{
    return report::formatNamed(format).render(report);
}

inline std::int64_t realtimeOf(const trace::ProcessTrace& process, std::int64_t ns)
{
    const trace::ClockSampleRow& sample = process.clockSamples.at(0);
    return ns - sample.monotonicNs + sample.realtimeNs;
}

inline constexpr const char* kDistributed =
    R"("distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2, "pg_config": [)"
    R"({"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 1]}, )"
    R"({"pg_name": "1", "pg_desc": "x", "ranks": [1]}], "nccl_version": "2.28.9"})";

inline trace::LaunchConfigurationRow configurationOf(const trace::ProcessTrace& process, std::size_t kernel)
{
    const std::uint32_t id = process.kernels.configuration[kernel];
    return id == 0 ? trace::LaunchConfigurationRow() : process.launchConfigurations.at(id - 1);
}

inline std::string ofRank(int rank, std::int64_t baseUs)
{
    return fmt::format(
        R"("baseTimeNanoseconds": {}, "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": 2}},)",
        baseUs * 1000, rank);
}

inline std::string ncclArguments(const std::string& name, int elements, const std::string& extra = "")
{
    return fmt::format(
        R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "Group size": 2, )"
        R"("dtype": "Float", "In split size": "[]", "Process Group Name": "0", )"
        R"("Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]"{})",
        name, elements, elements, extra);
}

} // namespace ringside::importers
