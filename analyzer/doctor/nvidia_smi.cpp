// SPDX-License-Identifier: Apache-2.0
#include "doctor/nvidia_smi.h"

#include "values/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside::doctor {
namespace {

/// By the path of elements below <gpu>: "pci/replay_counter".
using Leaves = std::map<std::string, std::string, std::less<>>;

/// "0000:17:00.0", as sysfs writes it, of "00000000:17:00.0".
std::string addressOf(std::string_view id)
{
    constexpr std::size_t kDigits = 4;
    const std::size_t colon = id.find(':');
    std::string address(colon != std::string_view::npos && colon > kDigits ? id.substr(colon - kDigits) : id);
    std::ranges::transform(address, address.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return address;
}

/// The texts of all elements that hold nothing but text. Every byte is looked at a few times at most,
/// whatever they are.
Leaves leavesOf(std::string_view xml)
{
    constexpr std::size_t kDeepest = 32;
    constexpr std::size_t kLongestName = 64;
    Leaves leaves;
    std::vector<std::string_view> path;
    std::size_t next = 0;
    for (std::size_t open = xml.find('<'); open != std::string_view::npos; open = next) {
        const std::size_t close = xml.find('>', open);
        if (close == std::string_view::npos || path.size() > kDeepest) {
            break;
        }
        next = xml.find('<', close);
        const std::string_view tag = xml.substr(open + 1, close - open - 1);
        if (tag.starts_with('/')) {
            path.resize(path.size() - std::min<std::size_t>(path.size(), 1));
        } else if (!tag.ends_with('/') && !tag.starts_with('!') && !tag.starts_with('?')) {
            path.push_back(tag.substr(0, std::min(tag.find(' '), kLongestName)));
            const std::string_view text = values::trimmed(xml.substr(close + 1, next - close - 1));
            if (!text.empty() && text != "N/A") {
                leaves.emplace(fmt::format("{}", fmt::join(path, "/")), text);
            }
        }
    }
    return leaves;
}

void copy(const Leaves& leaves, std::string_view path, std::string fact, Facts& facts)
{
    if (const auto found = leaves.find(path); found != leaves.end()) {
        facts.set(std::move(fact), found->second);
    }
}

/// The number at the begin of "16x", "87 C". Nothing counts to more than kMost: that would be damage.
std::optional<std::uint64_t> numberAt(const Leaves& leaves, std::string_view path)
{
    constexpr std::uint64_t kMost = 1'000'000'000'000'000;
    const auto found = leaves.find(path);
    std::string_view text = found != leaves.end() ? std::string_view(found->second) : "";
    const auto number = values::takeNumber<std::uint64_t>(text);
    return number && *number <= kMost ? number : std::nullopt;
}

void copyNumber(const Leaves& leaves, std::string_view path, std::string fact, Facts& facts)
{
    if (const auto number = numberAt(leaves, path)) {
        facts.set(std::move(fact), std::to_string(*number));
    }
}

void addUncorrected(const Leaves& leaves, const std::string& gpu, Facts& facts)
{
    std::optional<std::uint64_t> sum;
    for (const char* const kind : {"sram_uncorrectable", "sram_uncorrectable_parity",
                                   "sram_uncorrectable_secded", "dram_uncorrectable"}) {
        if (const auto number = numberAt(leaves, std::string("ecc_errors/volatile/") + kind)) {
            sum = sum.value_or(0) + *number;
        }
    }
    if (sum) {
        facts.set(gpu + "ecc_uncorrected", std::to_string(*sum));
    }
}

/// Newer versions say event where older ones say throttle.
void addSlowdowns(const Leaves& leaves, const std::string& gpu, Facts& facts)
{
    std::string active;
    bool known = false;
    for (const char* const word : {"event", "throttle"}) {
        for (const char* const reason : {"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}) {
            const auto found =
                leaves.find(fmt::format("clocks_{0}_reasons/clocks_{0}_reason_{1}", word, reason));
            known = known || found != leaves.end();
            if (found != leaves.end() && found->second == "Active") {
                active += (active.empty() ? "" : ", ") + std::string(reason);
            }
        }
    }
    if (known) {
        facts.set(gpu + "slowdowns", active.empty() ? "none" : active);
    }
}

/// `xml` begins with its address; the element may be cut off.
void addGpu(std::string_view xml, Facts& facts)
{
    const std::size_t quote = xml.find('"');
    const std::size_t inside = xml.find('>');
    if (inside == std::string_view::npos || quote > inside) {
        return;
    }
    const Leaves leaves = leavesOf(xml.substr(inside, xml.find("</gpu>") - inside));
    const std::string gpu = "gpu." + addressOf(xml.substr(0, quote)) + ".";
    copy(leaves, "product_name", gpu + "name", facts);
    copy(leaves, "persistence_mode", gpu + "persistence_mode", facts);
    copy(leaves, "fabric/state", gpu + "fabric_state", facts);
    copy(leaves, "fabric/status", gpu + "fabric_status", facts);
    copy(leaves, "remapped_rows/remapped_row_pending", gpu + "row_remap_pending", facts);
    copy(leaves, "remapped_rows/remapped_row_failure", gpu + "row_remap_failed", facts);
    copy(leaves, "retired_pages/pending_retirement", gpu + "page_retirement_pending", facts);
    copyNumber(leaves, "pci/pci_gpu_link_info/link_widths/current_link_width", gpu + "current_link_width",
               facts);
    copyNumber(leaves, "pci/pci_gpu_link_info/link_widths/max_link_width", gpu + "max_link_width", facts);
    addUncorrected(leaves, gpu, facts);
    addSlowdowns(leaves, gpu, facts);
}

} // namespace

void addNvidiaSmi(std::string_view xml, Facts& facts)
{
    constexpr std::string_view kBegin = "<gpu id=\"";
    std::size_t next = 0;
    for (std::size_t begin = xml.find(kBegin); begin != std::string_view::npos; begin = next) {
        next = xml.find(kBegin, begin + 1);
        addGpu(xml.substr(begin + kBegin.size(), next - begin - kBegin.size()), facts);
    }
    constexpr std::string_view kDriver = "<driver_version>";
    if (const std::size_t driver = xml.find(kDriver); driver != std::string_view::npos) {
        const std::string_view rest = xml.substr(driver + kDriver.size());
        facts.set("library.nvidia_driver", std::string(values::trimmed(rest.substr(0, rest.find('<')))));
    }
}

} // namespace ringside::doctor
