// SPDX-License-Identifier: Apache-2.0
// The kernel's log as dmesg, journalctl -k or syslog print it (values/log_time.h): what it says of links,
// modules, PCIe and GPUs. The messages are those of Linux' drivers: mlx5 (events.c, health.c, en_main.c),
// bnxt_en, ice and others for links, pcie/aer.c for PCIe, and "NVRM: Xid" of NVIDIA's driver. Messages of
// boot about links are events like others; whoever asks about a run only gets those of its time.
#include "tool_output/event_pattern.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"
#include "values/log_time.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside::tool_output::reader_kernel_log {
namespace {

using trace::KernelEvent;

constexpr std::array<EventPattern, 24> kPatterns{{
    {"NVRM: Xid (", "", KernelEvent::Xid},
    {"insufficient power on the PCIe slot", "", KernelEvent::SlotPower},
    {"Port module event", "High Temperature", KernelEvent::ModuleHeat},
    {"High temperature on sensors", "", KernelEvent::ModuleHeat},
    {"Port module event[error]", "", KernelEvent::ModuleError},
    {"health compromised", "", KernelEvent::FirmwareError},
    {"mlx5_core ", "Fatal error", KernelEvent::FirmwareError},
    {"mlx5_core ", "cmd_exec timeout", KernelEvent::FirmwareError},
    {"mlx5_core ", "Will cause a leak of a command resource", KernelEvent::FirmwareError},
    {"NETDEV WATCHDOG", "timed out", KernelEvent::FirmwareError},
    {"PCIe Bus Error: severity=", "(Fatal)", KernelEvent::PcieFatal},
    {"PCIe Bus Error: severity=", "(Non-Fatal)", KernelEvent::PcieUncorrected},
    {"PCIe Bus Error: severity=Correct", "", KernelEvent::PcieCorrected},
    {"mlx5_core ", "Link down", KernelEvent::LinkDown},
    {"mlx5_core ", "Link up", KernelEvent::LinkUp},
    {"NIC Link is Down", "", KernelEvent::LinkDown},
    {"NIC Link is Up", "", KernelEvent::LinkUp},
    {"NIC Link is down", "", KernelEvent::LinkDown},
    {"NIC Link is up", "", KernelEvent::LinkUp},
    {": Link is Down", "", KernelEvent::LinkDown},
    {": Link is Up", "", KernelEvent::LinkUp},
    {": link is down", "", KernelEvent::LinkDown},
    {": Link Down", "", KernelEvent::LinkDown},
    {": Link Up", "", KernelEvent::LinkUp},
}};

/// Returns the first PCI address of the message, as "0000:5c:00.0"; that of a GPU has no function in an Xid.
std::string pciIn(std::string_view message)
{
    constexpr std::string_view kShape = "xxxx:xx:xx.x";
    const auto fits = [&](std::string_view text, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) {
            const auto c = static_cast<unsigned char>(text[i]);
            if (kShape[i] == 'x' ? std::isxdigit(c) == 0 : c != static_cast<unsigned char>(kShape[i])) {
                return false;
            }
        }
        return true;
    };
    for (const std::size_t size : {kShape.size(), kShape.size() - 2}) {
        for (std::size_t i = 0; i + size <= message.size(); ++i) {
            if (fits(message.substr(i), size)) {
                return std::string(message.substr(i, size));
            }
        }
    }
    return {};
}

/// Returns the PCI address, else the interface of "igb: eth0 NIC Link is Down" or "eth0: Link is Down".
std::string deviceIn(std::string_view message)
{
    if (std::string pci = pciIn(message); !pci.empty()) {
        return pci;
    }
    const std::string_view before = partedBy(partedBy(message, " NIC Link").first, ": Link").first;
    const std::size_t blank = before.rfind(' ');
    return printable(blank == std::string_view::npos ? before : before.substr(blank + 1));
}

bool recognizes(std::string_view text)
{
    constexpr int kLooked = 50;
    constexpr std::int64_t kLater = 4'000'000'000'000'000'000; // any year will do
    int stamped = 0;
    int lines = 0;
    while (const auto line = takeLine(text)) {
        if (lines >= kLooked) {
            break;
        }
        const bool others =
            line->starts_with("-- ") || holds(*line, " NCCL "); // journalctl's remarks, a job's lines
        if (!values::trimmed(*line).empty() && !others) {
            ++lines;
            stamped += values::logTimeOf(*line, kLater) ? 1 : 0;
        }
    }
    return stamped > 0 && stamped * 2 >= lines;
}

Reading read(const File& file)
{
    Reading reading;
    std::string_view text = file.text;
    while (const auto line = takeLine(text)) {
        const auto time = values::logTimeOf(*line, file.modifiedNs);
        const auto event = time ? eventOf(kPatterns, time->message) : std::nullopt;
        if (!event) {
            continue;
        }
        KernelMessage message{time->realtimeNs, time->bootNs, {}, {}, *event, {}};
        message.host = file.host.empty() ? printable(time->host) : file.host;
        message.device = deviceIn(time->message);
        constexpr std::size_t kMost = 200;
        message.text = values::trimmed(time->message).substr(0, kMost);
        std::ranges::replace_if(
            message.text, [](char c) { return c < ' ' || c > '~'; }, '?');
        reading.messages.push_back(std::move(message));
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(kernel_log, .command = "journalctl -k -b -o short-iso-precise > FILE",
                     .recognizes = recognizes, .read = read);

} // namespace ringside::tool_output::reader_kernel_log
