// SPDX-License-Identifier: Apache-2.0
// Access Control Services (ACS) of PCIe bridges: whether they redirect traffic between devices below them.
// Only root can read this part of their configuration.
#include "doctor/gatherer.h"

#include <array>
#include <fstream>

namespace ringside::doctor::gatherer_pci_bridges {
namespace {

constexpr std::size_t kExtended = 0x100; // offset of the list of extended capabilities

using Configuration = std::vector<unsigned char>;

Configuration read(const std::filesystem::path& path)
{
    constexpr std::size_t kMost = 4096;
    Configuration bytes(kMost);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), kMost);
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return bytes;
}

unsigned wordAt(const Configuration& bytes, std::size_t place)
{
    return bytes[place] | static_cast<unsigned>(bytes[place + 1]) << 8U;
}

/// Returns the offset of an extended capability; 0: there is none.
std::size_t capability(const Configuration& bytes, unsigned id)
{
    constexpr unsigned kPlaceShift = 4; // of the next offset, in the upper word of a header
    std::size_t place = kExtended;
    for (int seen = 0; seen < 64 && place >= kExtended && place + 8 <= bytes.size(); ++seen) {
        if (wordAt(bytes, place) == id) {
            return place;
        }
        place = wordAt(bytes, place + 2) >> kPlaceShift;
    }
    return 0;
}

/// Returns the set bits of ACSCtl that redirect traffic between devices to the root, as lspci names them.
std::string redirects(unsigned control)
{
    constexpr std::array<std::pair<unsigned, const char*>, 4> kBits{
        {{0x1, "SrcValid"}, {0x4, "ReqRedir"}, {0x8, "CmpltRedir"}, {0x10, "UpstreamFwd"}}};
    std::string text;
    for (const auto& [bit, name] : kBits) {
        if ((control & bit) != 0) {
            text += (text.empty() ? "" : " ") + std::string(name);
        }
    }
    return text.empty() ? "none" : text;
}

void gather(const Root& root, Facts& facts)
{
    constexpr unsigned kAcs = 0x000D;
    constexpr std::size_t kControl = 6;
    for (const std::string& address : root.entries("/sys/bus/pci/devices")) {
        const std::string folder = "/sys/bus/pci/devices/" + address + "/";
        if (!root.line(folder + "class").value_or("").starts_with("0x0604")) {
            continue;
        }
        const Configuration bytes = read(root.path(folder + "config"));
        if (const std::size_t acs = capability(bytes, kAcs); acs != 0) {
            facts.set("bridge." + address + ".acs", redirects(wordAt(bytes, acs + kControl)));
        }
    }
    for (const std::string& line : root.lines("/proc/cpuinfo")) {
        if (line.starts_with("flags")) {
            facts.set("machine.virtual", line.find(" hypervisor") != std::string::npos ? "yes" : "no");
            break;
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_pci_bridges
