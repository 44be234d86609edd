// SPDX-License-Identifier: Apache-2.0
// The table. docs/rules.md is made from it.
#include "conditions/condition.h"
#include "conditions/readings.h"
#include "words/clock_throttling.h"
#include "words/ecc_errors.h"
#include "words/gpu_clock_spread.h"
#include "words/gpu_temperature_high.h"
#include "words/host_conditions.h"
#include "words/link_margin.h"
#include "words/memlock_low.h"
#include "words/nvlink_errors.h"
#include "words/nvlink_fabric.h"
#include "words/pcie_errors.h"
#include "words/pcie_link_degraded.h"
#include "words/persistence_mode.h"
#include "words/rdma_congestion.h"
#include "words/rdma_link_errors.h"
#include "words/rdma_port_down.h"
#include "words/rdma_rate_low.h"
#include "words/rdma_retransmissions.h"
#include "words/row_remap.h"
#include "words/shm_small.h"
#include "words/versions_old.h"
#include "words/xid_errors.h"
#include "words/xid_words.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ringside::conditions {
namespace {

using enum Severity;
using enum How;
using enum Compare;
using enum Scope;

// clang-format off
constexpr Option kLinkErrors[] = {
    {"many", 10, "warn from this number of errors of a kind (infiniband-diags' error_thresholds), a problem from this number in an hour; below, a tenth of it in an hour warns"},
    {"many_side", 100, "the same for packets that were discarded, refused, or damaged on another link (infiniband-diags)"},
    {"symbol_ber", 5e-15, "warn above this symbol bit error rate on links with error correction (HDR and later); a problem above twice this (NVIDIA's cluster bring-up guide)"},
    {"symbol_ber_old", 1e-12, "the same on EDR and earlier; a problem above ten times this"},
};
constexpr Option kCongestion[] = {
    {"marked", 1e-3, "report above this share of received packets that switches marked; marks are how DCQCN works, so they warn only if collectives were slow at that time"},
    {"slowed", 100, "the same for requests to slow down that a sender obeyed, per second"},
    {"marked_alone", 0.05, "warn above this share where no collectives are recorded; a fabric that DCQCN regulates marks 1 %"},
    {"slowed_alone", 1e4, "the same for requests to slow down, per second"},
    {"held", 0.1, "warn if a port has data to send but may not for more than this share of its time and more than three times the median of its peers (a tick is taken as the time of a word of 4 bytes)"},
    {"held_traffic", 0.01, "and used at least this share of its rate"},
};
constexpr Option kLinkMargin[] = {
    {"celsius", 70, "warn from this temperature of a module whose own limits are not known (NVIDIA's cluster bring-up guide)"},
    {"celsius_much", 80, "a problem from this temperature, likewise"},
    {"effective_ber", 1e-14, "a problem above this rate of bits that are wrong after correction (NVIDIA's cluster bring-up guide)"},
};
constexpr Option kEcc[] = {
    {"corrected", 100, "report from this number of corrected errors within the run; fewer are normal"},
    {"uncorrected", 1, "a problem from this number of uncorrected errors within the run"},
};
constexpr Option kHeat[] = {
    {"margin", 10, "report if a GPU comes closer than this to the temperature that lowers its clock, degrees"},
};
constexpr Option kRepairs[] = {
    {"pages", 15, "warn above this number of pages retired for uncorrected errors (DCGM's limit)"},
    {"pages_much", 63, "a problem from this number: a GPU can retire 64 pages"},
    {"rows", 512, "a problem from this number of rows remapped for uncorrected errors (DCGM's limit)"},
};
constexpr Option kSharedMemory[] = {
    {"min_bytes", 1073741824, "warn below this size (NCCL's guide to containers: `--shm-size=1g`)"},
};
constexpr Option kPcie[] = {
    {"replays_a_minute", 0, "warn above this rate of PCIe replays, a problem above ten times it; 0: DCGM's limit for the link, from a bit error rate of 1e-12: 16 for 16 lanes of generation 4, 31 of generation 5"},
};
constexpr Option kVersions[] = {
    {"cuda_runtime", 11.08, "oldest CUDA runtime that is not reported (field: CUDA >= 11.8); minor versions as hundredths: 11.08 is 11.8"},
    {"nccl", 2.14, "oldest NCCL that is not reported (field: NCCL >= 2.14), minor versions as hundredths"},
    {"cudnn", 8.09, "oldest cuDNN that doctor does not report (field: cuDNN >= 8.9), minor versions as hundredths"},
};
constexpr Option kClockSpread[] = {
    {"part", 0.97, "warn when a GPU's usual clock is below this share of the ranks' median"},
    {"part_low", 0.90, "a problem below this share"},
    {"part_capped", 0.90, "warn below this share if the GPU is at its power cap: under a cap, GPUs of one model differ by 8 % on average (Sinha et al., SC 2022, on five clusters)"},
    {"part_capped_low", 0.78, "a problem below this share at the power cap: they saw up to 22 %"},
};
constexpr Option kNvlink[] = {
    {"errors", 1, "fewest errors of a kind of all links of a GPU within the run (DCGM's limit)"},
    {"checksums_a_second", 100, "a problem from this rate of checksum errors; fewer are repaired in passing (DCGM's limit)"},
    {"effective_ber", 1e-12, "a problem above this bit error rate of NVLink 5 after error correction (DCGM's limit); up to 1e-15 is normal"},
};
// clang-format on

struct RuleWithRows {
    std::string_view id;
    const words::Template* remedy;
    std::span<const Option> options = {};
    std::string_view fix = {};
};
// clang-format off
constexpr RuleWithRows kRules[] = {
    {"rdma_link_errors", &words::rdma_link_errors::remedy, kLinkErrors},
    {"rdma_port_down", &words::rdma_port_down::remedy_drops, {}, "ibstat"},
    {"rdma_rate_low", &words::rdma_rate_low::remedy, {}, "sudo mlxlink -d DEVICE -m -c"},
    {"rdma_retransmissions", &words::rdma_retransmissions::remedy_silent},
    {"rdma_congestion", &words::rdma_congestion::remedy, kCongestion},
    {"link_margin", &words::link_margin::remedy, kLinkMargin},
    {"ecc_errors", &words::ecc_errors::remedy, kEcc, "sudo nvidia-smi -r"},
    {"clock_throttling", &words::clock_throttling::remedy_now, {}, "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER"},
    {"gpu_clock_spread", &words::gpu_clock_spread::remedy, kClockSpread},
    {"gpu_temperature_high", &words::gpu_temperature_high::remedy, kHeat},
    {"row_remap", &words::row_remap::remedy, kRepairs, "sudo nvidia-smi -r"},
    {"persistence_mode", &words::persistence_mode::remedy, {}, "sudo systemctl enable --now nvidia-persistenced"},
    {"nvlink_fabric", &words::nvlink_fabric::remedy, {}, "systemctl status nvidia-fabricmanager"},
    {"pcie_errors", &words::pcie_errors::remedy, kPcie},
    {"pcie_link_degraded", &words::pcie_link_degraded::remedy_gpu, {}, "sudo lspci -vv | grep -E 'LnkCap|LnkSta'"},
    {"nvlink_errors", &words::nvlink_errors::remedy_errors, kNvlink},
    {"xid_errors", &words::xid_words::perhaps_hardware},
    {"memlock_low", &words::memlock_low::remedy, {}, "echo '* - memlock unlimited' | sudo tee /etc/security/limits.d/memlock.conf"},
    {"shm_small", &words::shm_small::remedy, kSharedMemory, "sudo mount -o remount,size=8G /dev/shm"},
    {"open_files_low", &words::host_conditions::remedy_files, {}, "echo '* - nofile 1048576' | sudo tee /etc/security/limits.d/nofile.conf"},
    {"versions_old", &words::versions_old::remedy, kVersions},
    {"driver_missing", &words::host_conditions::remedy_driver, {}, "nvidia-smi"},
    {"gdr_unused", &words::host_conditions::remedy_gpu_direct, {}, "sudo modprobe nvidia-peermem"},
    {"cpu_clock", &words::host_conditions::remedy_clock, {}, "sudo cpupower frequency-set -g performance"},
    {"cpu_quota", &words::host_conditions::remedy_quota},
    {"cpu_busy", &words::host_conditions::remedy_busy, {}, "ps -eo pcpu,rss,pid,comm --sort=-pcpu | head"},
    {"memory_busy", &words::host_conditions::remedy_busy, {}, "ps -eo pcpu,rss,pid,comm --sort=-rss | head"},
};
// clang-format on

const RuleWithRows* findRule(std::string_view id)
{
    const auto* const found = std::ranges::find(kRules, id, &RuleWithRows::id);
    return found == std::end(kRules) ? nullptr : found;
}

/// Errors of a link by their number in an hour, and in all; of a counter that was read once, in all.
std::vector<Rung> errors(std::string_view option)
{
    return {{Problem, GainAnHour, AtLeast, option},      {Warning, Gain, AtLeast, option},
            {Warning, GainAnHour, AtLeast, option, 0.1}, {Info, Gain, Above, "", 0},
            {Warning, Total, AtLeast, option},           {Info, Total, Above, "", 0}};
}

/// The specification allows some: a third of the limit is seen, but normal.
std::vector<Rung> symbols(std::string_view option, double problem)
{
    return {{Problem, BitErrorRate, Above, option, problem},
            {Warning, BitErrorRate, Above, option},
            {Info, BitErrorRate, Above, option, 0.3},
            {Warning, UnratedErrors, Above, "", 0},
            {Warning, Total, AtLeast, "many"},
            {Info, Total, Above, "", 0}};
}

std::vector<Rung> grows(Severity severity)
{
    return {{severity, Gain, Above, "", 0}};
}

/// Errors of NVLink that are repaired in passing.
std::vector<Rung> counted(Severity severity)
{
    return {{severity, Gain, AtLeast, "errors"}};
}

std::vector<Rung> checksums()
{
    return {{Problem, GainASecond, AtLeast, "checksums_a_second"}, {Info, Gain, AtLeast, "errors"}};
}

std::vector<Rung> is(Severity severity)
{
    return {{severity, Last, Above, "", 0}};
}

constexpr double kNone =
    -std::numeric_limits<double>::infinity(); // a module that tells no limit is not judged
constexpr double kMemlockFails =
    8.0 * 1024 * 1024; // the default of many systems (NCCL user guide, troubleshooting)

namespace link = words::rdma_link_errors;
namespace margin = words::link_margin;
namespace again = words::rdma_retransmissions;
namespace ecc = words::ecc_errors;
namespace clocks = words::gpu_clock_spread;
namespace heat = words::gpu_temperature_high;
namespace repair = words::row_remap;
namespace fabric = words::nvlink_fabric;
namespace nvlink = words::nvlink_errors;
namespace pcie = words::pcie_link_degraded;
namespace versions = words::versions_old;

// Of one rule side by side, and those that count more first.
// clang-format off
const Condition kTable[] = {
    {"rdma_link_errors", Port, "link_downed", {{Warning, Total, AtLeast, "many"}, {Info, Total, Above, "", 0}}, &link::losses},
    {"rdma_link_errors", Port, "rx_corrupt", {{Problem, Gain, Above, "", 0}, {Warning, Total, AtLeast, "many"}, {Info, Total, Above, "", 0}}, &link::corrupt},
    {"rdma_link_errors", Port, "rx_errors", errors("many"), &link::bad},
    {"rdma_link_errors", Port, "link_error_recoveries", errors("many"), &link::recoveries},
    {"rdma_link_errors", Port, "link_integrity_errors", errors("many"), &link::integrity},
    {"rdma_link_errors", Port, "buffer_overruns", errors("many"), &link::overruns},
    {"rdma_link_errors", Port, "rx_remote_physical_errors", errors("many_side"), &link::remote},
    {"rdma_link_errors", Port, "tx_discards", errors("many_side"), &link::discards},
    {"rdma_link_errors", Port, "tx_constraint_errors", errors("many_side"), &link::tx_refused},
    {"rdma_link_errors", Port, "rx_constraint_errors", errors("many_side"), &link::rx_refused},
    {"rdma_link_errors", Port, "symbol_errors", symbols("symbol_ber", 2), &link::symbols, {.applies = isCorrected}},
    {"rdma_link_errors", Port, "symbol_errors", symbols("symbol_ber_old", 10), &link::symbols, {.applies = [](const Subject& port) { return !isCorrected(port); }}},

    {"rdma_port_down", Port, "link_downed", grows(Problem), &words::rdma_port_down::times},
    {"rdma_port_down", Port, {}, is(Problem), &words::rdma_port_down::lost, {.read = portLost}},
    {"rdma_retransmissions", Port, "retries_exceeded", grows(Problem), &again::connections_lost},
    {"rdma_retransmissions", Port, "remote_access_errors", grows(Warning), &again::refused},
    {"rdma_retransmissions", Port, "responder_access_errors", grows(Warning), &again::refused_peer},
    {"rdma_retransmissions", Port, "responder_length_errors", grows(Warning), &again::too_long},
    {"rdma_retransmissions", Port, "impaired_connections", grows(Info), &again::impaired},
    {"rdma_congestion", Port, {}, {{Info, Last, Above, "marked"}}, &words::rdma_congestion::marked, {.figure = "marked", .unit = values::Unit::Share, .read = markedShare}},
    {"rdma_congestion", Port, {}, {{Info, Last, Above, "slowed"}}, &words::rdma_congestion::slowed, {.figure = "slowed_a_second", .unit = values::Unit::PerSecond, .read = slowedASecond}},
    {"rdma_congestion", Port, "limit_drops", grows(Info), &words::rdma_congestion::dropped, {.figure = "limit_drops"}},
    {"rdma_rate_low", Port, {}, is(Problem), &words::rdma_rate_low::lost, {.read = rateLost}},

    {"link_margin", Port, {}, {{Problem, Last, AtLeast, "celsius_much"}}, &margin::heat_alarm, {.fact = "module_celsius", .ownLimits = {"module_celsius_alarm"}}},
    {"link_margin", Port, {}, {{Warning, Last, AtLeast, "celsius"}}, &margin::heat_warning, {.fact = "module_celsius", .ownLimits = {"module_celsius_warning", "module_celsius_alarm"}}},
    {"link_margin", Port, {}, {{Problem, Last, AtMost, "", kNone}}, &margin::light_alarm, {.fact = "light_dbm", .ownLimits = {"light_dbm_alarm"}}},
    {"link_margin", Port, {}, {{Warning, Last, AtMost, "", kNone}}, &margin::light_warning, {.fact = "light_dbm", .ownLimits = {"light_dbm_warning"}}},
    {"link_margin", Port, {}, {{Problem, Last, Above, "effective_ber"}}, &margin::bit_errors, {.fact = "effective_ber"}},
    {"link_margin", Port, {}, {{Warning, Told, Above, "", 0}}, &margin::mlxlink, {.applies = mlxlinkComplains, .fact = "recommendation"}},
    {"link_margin", Port, {}, {{Warning, Told, Above, "", 0}}, &margin::alarms, {.fact = "module_alarms"}},

    {"ecc_errors", Gpu, "ecc_corrected_errors", {{Info, Gain, AtLeast, "corrected"}}, &ecc::corrected, {.figure = "corrected_errors", .sums = true}},
    {"ecc_errors", Gpu, "ecc_uncorrected_errors", {{Problem, Gain, AtLeast, "uncorrected"}, {Problem, Total, AtLeast, "uncorrected"}}, &ecc::uncorrected, {.figure = "uncorrected_errors", .sums = true, .breaks = true}},

    {"clock_throttling", Gpu, {}, is(Warning), &words::clock_throttling::now, {.read = clockTrouble, .quote = clockHolder}},

    {"gpu_temperature_high", Gpu, "thermal_violation_ns", grows(Warning), &heat::was_held, {.figure = "held_ns", .unit = values::Unit::Ns, .title = &heat::throttled}},
    {"gpu_temperature_high", Gpu, {}, {{Warning, Last, Below, "", 1}, {Info, Last, Below, "margin"}}, &heat::is_near, {.figure = "margin_celsius", .unit = values::Unit::Celsius, .read = heatMargin, .title = &heat::near}},

    {"row_remap", Gpu, "row_remap_failed", is(Problem), &repair::failed},
    {"row_remap", Gpu, "remapped_rows_uncorrected", {{Problem, Last, AtLeast, "rows"}}, &repair::rows, {.figure = "remapped_rows"}},
    {"row_remap", Gpu, "retired_pages_uncorrected", {{Problem, Last, AtLeast, "pages_much"}, {Warning, Last, Above, "pages"}}, &repair::pages, {.figure = "retired_pages"}},
    {"row_remap", Gpu, "row_remap_pending", is(Warning), &repair::pending},
    {"row_remap", Gpu, "retired_pages_pending", is(Warning), &repair::pending},

    {"persistence_mode", Gpu, "persistence_mode", {{Info, Last, Equal, "", 0}}, &words::persistence_mode::off},

    {"nvlink_fabric", Gpu, "fabric_state", {{Problem, Last, Below, "", 3}}, &fabric::not_started, {.figure = "fabric_state", .applies = [](const Subject& gpu) { return gpu.last("fabric_state") == 1; }}},
    {"nvlink_fabric", Gpu, "fabric_state", {{Problem, Last, Below, "", 3}}, &fabric::in_progress, {.figure = "fabric_state", .applies = [](const Subject& gpu) { return gpu.last("fabric_state") == 2; }}},
    {"nvlink_fabric", Gpu, "fabric_status", is(Problem), &fabric::failed, {.applies = [](const Subject& gpu) { return gpu.last("fabric_state") == 3; }}},

    {"pcie_errors", Gpu, "pcie_replays", {{Problem, GainAMinute, Above, "replays_a_minute", 10}, {Warning, GainAMinute, Above, "replays_a_minute"}}, &words::pcie_errors::replays, {.figure = "replays_a_minute", .unit = values::Unit::PerMinute, .ownLimit = replayLimit}},

    {"pcie_link_degraded", Gpu, {}, {{Problem, Last, Below, "", 1}}, &pcie::both, {.figure = "part_of_rate", .unit = values::Unit::Share, .applies = [](const Subject& gpu) { return pcieLinkOf(gpu).isNarrow() && pcieLinkOf(gpu).isSlow(); }, .read = pcieShare, .slots = pcieSlots}},
    {"pcie_link_degraded", Gpu, {}, {{Problem, Last, Below, "", 1}}, &pcie::lanes, {.figure = "part_of_rate", .unit = values::Unit::Share, .applies = [](const Subject& gpu) { return pcieLinkOf(gpu).isNarrow(); }, .read = pcieShare, .slots = pcieSlots}},
    {"pcie_link_degraded", Gpu, {}, {{Warning, Last, Below, "", 1}}, &pcie::generation, {.figure = "part_of_rate", .unit = values::Unit::Share, .read = pcieShare, .slots = pcieSlots}},

    {"nvlink_errors", Gpu, "nvlink_crc_flit_errors", checksums(), &nvlink::flits, {.figure = "flit_errors", .title = &nvlink::errors}},
    {"nvlink_errors", Gpu, "nvlink_crc_data_errors", checksums(), &nvlink::data, {.figure = "data_errors", .title = &nvlink::errors}},
    {"nvlink_errors", Gpu, "nvlink_replays", counted(Warning), &nvlink::replays, {.figure = "replays", .title = &nvlink::errors}},
    {"nvlink_errors", Gpu, "nvlink_recoveries", counted(Warning), &nvlink::recoveries, {.figure = "recoveries", .title = &nvlink::errors}},
    {"nvlink_errors", Gpu, "nvlink5_recoveries", counted(Info), &nvlink::recoveries, {.figure = "recoveries", .title = &nvlink::errors}},
    {"nvlink_errors", Gpu, "nvlink5_failed_recoveries", counted(Problem), &nvlink::failed, {.figure = "failed_recoveries", .title = &nvlink::errors}},
    {"nvlink_errors", Gpu, {}, is(Problem), &nvlink::links_up, {.figure = "links_missing", .read = nvlinksMissing, .slots = nvlinkSlots, .title = &nvlink::links, .remedy = &nvlink::remedy_links}},
    {"nvlink_errors", Gpu, "nvlink5_effective_errors_per_1e18", {{Problem, Largest, Above, "effective_ber"}}, &nvlink::bit_errors, {.figure = "effective_ber", .unit = values::Unit::Ratio, .scale = 1e-18, .title = &nvlink::bits, .remedy = &nvlink::remedy_bit_errors}},

    {"gpu_clock_spread", Gpu, {}, {{Problem, Last, Below, "part_low"}, {Warning, Last, Below, "part"}}, &clocks::of_median, {.figure = "part_of_median", .unit = values::Unit::Share, .applies = [](const Subject& gpu) { return !isAtPowerCap(gpu); }, .read = clockShare, .slots = clockSlots}},
    {"gpu_clock_spread", Gpu, {}, {{Problem, Last, Below, "part_capped_low"}, {Warning, Last, Below, "part_capped"}}, &clocks::of_median, {.figure = "part_of_median", .unit = values::Unit::Share, .applies = isAtPowerCap, .read = clockShare, .slots = clockSlots}},

    {"xid_errors", Gpu, {}, {{Problem, Last, AtLeast, "", 2}, {Warning, Last, AtLeast, "", 1}, {Info, Last, AtLeast, "", 0}}, &words::xid_errors::happened, {.figure = "severity", .read = xidGrade, .quote = lastXid}},

    {"memlock_low", Host, {}, {{Problem, Last, AtMost, "", kMemlockFails}, {Warning, Last, Above, "", kMemlockFails}}, &words::memlock_low::title, {.figure = "memlock_bytes", .unit = values::Unit::Bytes, .applies = [](const Subject& host) { return !host.told("rdma_devices").empty(); }, .fact = "memlock_bytes"}},
    // NCCL takes about 10 MB for each rank; containers have 64 MiB by default
    {"shm_small", Host, {}, {{Problem, Last, Below, "min_bytes", 1.0 / 64}, {Warning, Last, Below, "min_bytes"}}, &words::shm_small::title, {.figure = "shm_bytes", .unit = values::Unit::Bytes, .fact = "shm_bytes"}},
    // NCCL opens sockets and shared memory for every peer
    {"open_files_low", Host, {}, {{Warning, Last, Below, "", 65'536}}, &words::host_conditions::files, {.fact = "open_files"}},
    // practitioners' guides to distributed training
    {"versions_old", Host, {}, {{Warning, Last, Below, "nccl"}}, &versions::nccl, {.figure = "version", .unit = values::Unit::Ratio, .fact = "nccl", .quote = [](const Subject& host) { return host.told("nccl_text"); }}},
    {"versions_old", Host, {}, {{Warning, Last, Below, "cuda_runtime"}}, &versions::cuda, {.figure = "version", .unit = values::Unit::Ratio, .fact = "cuda", .quote = [](const Subject& host) { return host.told("cuda_text"); }}},
    {"versions_old", Host, {}, {{Warning, Last, Below, "cudnn"}}, &versions::cudnn, {.figure = "version", .unit = values::Unit::Ratio, .fact = "cudnn", .quote = [](const Subject& host) { return host.told("cudnn_text"); }}},
    {"driver_missing", Host, {}, {{Problem, Told, Above, "", 0}}, &words::host_conditions::driver, {.fact = "gpus_without_driver"}},
    {"gdr_unused", Host, {}, {{Warning, Told, Above, "", 0}}, &words::host_conditions::gpu_direct, {.applies = [](const Subject& host) { return host.told("gpu_direct") == "none"; }, .fact = "gpu_direct"}},
    {"cpu_clock", Host, {}, {{Info, Told, Above, "", 0}}, &words::host_conditions::governor, {.applies = hasDynamicClock, .fact = "governor"}},
    {"cpu_quota", Host, {}, is(Warning), &words::host_conditions::quota, {.read = cpuQuota}},
    // of the last ten seconds, in percent; no source gives limits
    {"cpu_busy", Host, {}, {{Problem, Last, Above, "", 40}, {Warning, Last, Above, "", 10}}, &words::host_conditions::cpu_busy, {.fact = "pressure_cpu"}},
    {"memory_busy", Host, {}, {{Problem, Last, Above, "", 20}, {Warning, Last, Above, "", 5}}, &words::host_conditions::memory_busy, {.fact = "pressure_memory"}},
};
// clang-format on

} // namespace

std::span<const Condition> conditionsOf(std::string_view rule)
{
    const auto* const first = std::ranges::find(kTable, rule, &Condition::rule);
    const auto* const end = std::ranges::find_if(first, std::end(kTable),
                                                 [rule](const Condition& each) { return each.rule != rule; });
    return {first, end};
}

std::span<const Condition> allConditions()
{
    return kTable;
}

const words::Template& remedyOf(std::string_view rule)
{
    return *findRule(rule)->remedy;
}

const words::Template& remedyOf(const Condition& row)
{
    return row.more.remedy != nullptr ? *row.more.remedy : remedyOf(row.rule);
}

std::string_view fixOf(std::string_view rule)
{
    const RuleWithRows* const found = findRule(rule);
    return found == nullptr ? std::string_view() : found->fix;
}

std::span<const Option> optionsOf(std::string_view rule)
{
    const RuleWithRows* const found = findRule(rule);
    return found == nullptr ? std::span<const Option>() : found->options;
}

double defaultLimit(std::string_view rule, std::string_view option)
{
    const std::span<const Option> all = optionsOf(rule);
    const auto found = std::ranges::find(all, option, &Option::name);
    return found == all.end() ? 0 : found->value;
}

} // namespace ringside::conditions
