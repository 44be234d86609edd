// SPDX-License-Identifier: Apache-2.0
#include "doctor/nvidia_smi.h"

#include "values/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <pugixml.hpp>

namespace ringside::doctor {
namespace {

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

/// The text of the element at `path` below <gpu>; empty: it is not there, or "N/A".
std::string_view textAt(pugi::xml_node gpu, const char* path)
{
    const std::string_view text = gpu.first_element_by_path(path).child_value();
    return text == "N/A" ? std::string_view() : text;
}

void copy(pugi::xml_node gpu, const char* path, std::string fact, Facts& facts)
{
    if (const std::string_view text = textAt(gpu, path); !text.empty()) {
        facts.set(std::move(fact), std::string(text));
    }
}

/// The number at the begin of "16x", "87 C". Nothing counts to more than kMost: that would be damage.
std::optional<std::uint64_t> numberAt(pugi::xml_node gpu, const char* path)
{
    constexpr std::uint64_t kMost = 1'000'000'000'000'000;
    std::string_view text = textAt(gpu, path);
    const auto number = values::takeNumber<std::uint64_t>(text);
    return number && *number <= kMost ? number : std::nullopt;
}

void copyNumber(pugi::xml_node gpu, const char* path, std::string fact, Facts& facts)
{
    if (const auto number = numberAt(gpu, path)) {
        facts.set(std::move(fact), std::to_string(*number));
    }
}

void addUncorrected(pugi::xml_node gpu, const std::string& name, Facts& facts)
{
    std::optional<std::uint64_t> sum;
    for (const char* const kind :
         {"ecc_errors/volatile/sram_uncorrectable", "ecc_errors/volatile/sram_uncorrectable_parity",
          "ecc_errors/volatile/sram_uncorrectable_secded", "ecc_errors/volatile/dram_uncorrectable"}) {
        if (const auto number = numberAt(gpu, kind)) {
            sum = sum.value_or(0) + *number;
        }
    }
    if (sum) {
        facts.set(name + "ecc_uncorrected", std::to_string(*sum));
    }
}

/// Newer versions say event where older ones say throttle.
void addSlowdowns(pugi::xml_node gpu, const std::string& name, Facts& facts)
{
    std::string active;
    bool known = false;
    for (const char* const word : {"event", "throttle"}) {
        for (const char* const reason : {"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}) {
            const std::string_view state =
                textAt(gpu, fmt::format("clocks_{0}_reasons/clocks_{0}_reason_{1}", word, reason).c_str());
            known = known || !state.empty();
            if (state == "Active") {
                active += (active.empty() ? "" : ", ") + std::string(reason);
            }
        }
    }
    if (known) {
        facts.set(name + "slowdowns", active.empty() ? "none" : active);
    }
}

void addGpu(pugi::xml_node gpu, Facts& facts)
{
    const std::string name = "gpu." + addressOf(gpu.attribute("id").value()) + ".";
    copy(gpu, "product_name", name + "name", facts);
    copy(gpu, "persistence_mode", name + "persistence_mode", facts);
    copy(gpu, "fabric/state", name + "fabric_state", facts);
    copy(gpu, "fabric/status", name + "fabric_status", facts);
    copy(gpu, "remapped_rows/remapped_row_pending", name + "row_remap_pending", facts);
    copy(gpu, "remapped_rows/remapped_row_failure", name + "row_remap_failed", facts);
    copy(gpu, "retired_pages/pending_retirement", name + "page_retirement_pending", facts);
    copyNumber(gpu, "pci/pci_gpu_link_info/link_widths/current_link_width", name + "current_link_width",
               facts);
    copyNumber(gpu, "pci/pci_gpu_link_info/link_widths/max_link_width", name + "max_link_width", facts);
    addUncorrected(gpu, name, facts);
    addSlowdowns(gpu, name, facts);
}

} // namespace

void addNvidiaSmi(std::string_view xml, Facts& facts)
{
    pugi::xml_document document; // of a damaged text it holds what came before the damage
    document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_trim_pcdata,
                         pugi::encoding_utf8);
    const pugi::xml_node log = document.child("nvidia_smi_log");
    for (const pugi::xml_node gpu : log.children("gpu")) {
        addGpu(gpu, facts);
    }
    if (const std::string_view driver = log.child_value("driver_version"); !driver.empty()) {
        facts.set("library.nvidia_driver", std::string(driver));
    }
}

} // namespace ringside::doctor
