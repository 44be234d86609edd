// SPDX-License-Identifier: Apache-2.0
#include "doctor/recorded.h"

#include "settings/versions.h"
#include "trace/vocabulary/clock_reasons.h"
#include "trace/vocabulary/series.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>

namespace ringside::doctor {
namespace {

class Recorder {
public:
    explicit Recorder(const Facts& facts) : m_facts(facts) {}

    /// Adds a reading, if there is one, or why there is none.
    void sample(const trace::SeriesSource& source, const std::string& entity,
                const trace::SeriesMetric& metric, std::optional<std::int64_t> value,
                const std::string& reason = {})
    {
        if (!value && reason.empty()) {
            return;
        }
        const auto id = static_cast<std::int64_t>(m_process.series.size()) + 1;
        m_process.series.push_back(
            trace::seriesRow(trace::findSeries(source.text(), metric.text())->name, id, entity));
        if (!reason.empty()) {
            m_process.series.back().reason = static_cast<trace::StringId>(id);
            m_process.strings.emplace(m_process.series.back().reason, reason);
        }
        if (value) {
            m_process.samples.timeNs.push_back(0);
            m_process.samples.series.push_back(static_cast<std::uint32_t>(id));
            m_process.samples.value.push_back(*value);
        }
    }
    /// Adds a fact "port.mlx5_0:1.value.state", "port.mlx5_0:1.missing.mtu_bytes" or
    /// "port.mlx5_0:1.fact.driver".
    void addPortFact(std::string_view name, const std::string& value)
    {
        const std::string_view rest = name.substr(name.find('.') + 1);
        const std::string port(rest.substr(0, rest.find('.')));
        const std::string_view kind = rest.substr(std::min(rest.size(), port.size() + 1));
        const std::string_view what = kind.substr(kind.find('.') + 1);
        const bool missing = kind.starts_with("missing.");
        if ((missing || kind.starts_with("value.")) && trace::findSeries("rdma", what) != nullptr) {
            sample("rdma", port, trace::SeriesMetric::stored(std::string(what)),
                   missing ? std::nullopt : values::parseNumber<std::int64_t>(value), missing ? value : "");
        } else if (kind.starts_with("fact.")) {
            m_process.settings.push_back({"rdma", port + " " + std::string(what), value});
        }
    }
    void addGpu(const std::string& gpu);
    trace::RunTrace take()
    {
        const std::string_view name = m_facts.text("host.name");
        m_process.process.host = name.empty() ? "host" : name;
        trace::RunTrace run;
        run.path = "this host";
        run.processes.push_back(std::move(m_process));
        return run;
    }

private:
    /// The number before the words of "4: ACTIVE".
    static std::optional<std::int64_t> numberBefore(std::string_view text)
    {
        return values::takeNumber<std::int64_t>(text);
    }
    /// 1 or 0; nothing for another text.
    std::optional<std::int64_t> flag(const std::string& fact, std::string_view yes, std::string_view no) const
    {
        const std::string_view text = m_facts.text(fact);
        return text == yes  ? std::optional<std::int64_t>(1)
               : text == no ? std::optional<std::int64_t>(0)
                            : std::nullopt;
    }

    const Facts& m_facts;
    trace::ProcessTrace m_process;
};

void Recorder::addGpu(const std::string& gpu)
{
    using namespace trace::clock_reasons;
    const std::string at = "gpu." + gpu + ".";
    m_process.settings.push_back(trace::settingRow("device", gpu, "read_by", "doctor"));
    sample("nvml", gpu, "persistence_mode", flag(at + "persistence_mode", "Enabled", "Disabled"));
    sample("nvml", gpu, "ecc_uncorrected_errors", m_facts.number(at + "ecc_uncorrected"));
    sample("nvml", gpu, "pcie_lanes", m_facts.number(at + "current_link_width"));
    sample("nvml", gpu, "pcie_lanes_max", m_facts.number(at + "max_link_width"));
    sample("nvml", gpu, "row_remap_failed", flag(at + "row_remap_failed", "Yes", "No"));
    sample("nvml", gpu, "row_remap_pending", flag(at + "row_remap_pending", "Yes", "No"));
    sample("nvml", gpu, "retired_pages_pending", flag(at + "page_retirement_pending", "Yes", "No"));
    constexpr std::array<std::string_view, 4> kStates{"", "Not Started", "In Progress", "Completed"};
    const auto* const state = std::ranges::find(kStates, m_facts.text(at + "fabric_state"));
    if (state > kStates.begin() && state != kStates.end()) {
        sample("nvml", gpu, "fabric_state", state - kStates.begin());
    }
    constexpr std::int64_t kUnknown = 999; // NVML_ERROR_UNKNOWN
    std::string_view status = m_facts.text(at + "fabric_status");
    if (!status.empty()) {
        status.remove_prefix(status.starts_with("error ") ? 6 : 0);
        sample("nvml", gpu, "fabric_status",
               status == "Success" ? 0 : numberBefore(status).value_or(kUnknown));
    }
    if (const std::string_view slow = m_facts.text(at + "slowdowns"); !slow.empty()) {
        const bool hot = slow.find("thermal") != std::string_view::npos;
        const bool brake = slow.find("brake") != std::string_view::npos;
        sample("nvml", gpu, "clock_event_reasons",
               slow == "none" ? 0
               : hot          ? kHardwareThermal
               : brake        ? kPowerBrake
                              : kHardwareSlowdown);
    }
}

bool hasActivePort(const Facts& facts)
{
    return std::ranges::any_of(facts.namesAfter("rdma."), [&](const std::string& port) {
        return facts.text("rdma." + port + ".state").ends_with("ACTIVE");
    });
}

} // namespace

conditions::Subject hostOf(const Facts& facts)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFacts{
        {{"memlock_bytes", "limit.memlock_bytes"},
         {"shm_bytes", "memory.shm_bytes"},
         {"open_files", "limit.open_files_hard"},
         {"governor", "cpu.governor"},
         {"cpu_quota", "cpu.quota"},
         {"pressure_cpu", "pressure.cpu_some_percent"},
         {"pressure_memory", "pressure.memory_some_percent"}}};
    conditions::Subject host;
    for (const auto& [name, fact] : kFacts) {
        if (const std::string* const value = facts.find(fact)) {
            host.facts.emplace(name, *value);
        }
    }
    const auto add = [&](const std::string& name, std::string_view fact, std::string (*text)(std::int64_t)) {
        if (const auto version = facts.number(fact)) {
            settings::addVersion(name, text(*version), host.facts);
        }
    };
    add("nccl", "library.nccl", settings::ncclText);
    add("cuda", "library.cuda_runtime", settings::cudaText);
    add("cudnn", "library.cudnn", settings::cudnnText);
    if (!facts.namesAfter("gpu.").empty() && facts.find("library.nvidia_driver") == nullptr) {
        host.facts.emplace("gpus_without_driver", "yes");
    }
    if (hasActivePort(facts)) {
        host.facts.emplace("gpu_direct", facts.text("machine.gpu_direct"));
    }
    host.facts.emplace("rdma_devices", facts.namesAfter("rdma.").empty() ? "" : "some");
    return host;
}

trace::RunTrace recordedOf(const Facts& facts)
{
    Recorder recorder(facts);
    for (auto each = facts.all().lower_bound("port.");
         each != facts.all().end() && each->first.starts_with("port."); ++each) {
        recorder.addPortFact(each->first, each->second);
    }
    for (const std::string& gpu : facts.namesAfter("gpu.")) {
        recorder.addGpu(gpu);
    }
    return recorder.take();
}

} // namespace ringside::doctor
