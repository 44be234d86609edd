// SPDX-License-Identifier: Apache-2.0
// PCIe links of cards and disks that run narrower or slower than they could. A card in a slot with fewer
// lanes is fine while the slot carries more than the card's port. GPUs are judged by the table of conditions.
#include "doctor/check.h"
#include "host/sysfs_text.h"

#include <fmt/format.h>

namespace ringside::doctor::check_pci_links {
namespace {

struct Link {
    std::string address;
    std::string fact; ///< "nic.0000:17:00.0."
    std::string_view what;
};

/// Returns the sum over the interfaces of a card; 0: unknown.
std::int64_t mbpsOfCard(const Facts& facts, const std::string& address)
{
    constexpr std::int64_t kMost = 10'000'000; // a larger value is damage
    std::int64_t sum = 0;
    for (const std::string& name : facts.namesAfter("interface.")) {
        const auto mbps = facts.number("interface." + name + ".speed_mbps");
        if (mbps && *mbps > 0 && *mbps < kMost && facts.text("interface." + name + ".pci") == address) {
            sum += *mbps;
        }
    }
    return sum;
}

/// Whether the link carries the full rate of the card's ports.
enum class Enough : std::uint8_t { NotKnown, No, Yes };

Enough isEnough(const Facts& facts, const Link& link)
{
    const auto carries = host::pcieMbps(facts.text(link.fact + "current_link_speed"),
                                        facts.text(link.fact + "current_link_width"));
    const std::int64_t needed = mbpsOfCard(facts, link.address);
    if (!carries || needed <= 0) {
        return Enough::NotKnown;
    }
    return static_cast<std::int64_t>(*carries) >= needed ? Enough::Yes : Enough::No;
}

std::string fixOf(const Link& link)
{
    return fmt::format("sudo lspci -vv -s {} | grep -E 'LnkCap|LnkSta'", link.address);
}

void judge(const Facts& facts, const Link& link, std::vector<Advice>& all)
{
    const auto width = facts.number(link.fact + "current_link_width");
    const auto most = facts.number(link.fact + "max_link_width");
    const bool card = link.fact.starts_with("nic.");
    const Enough enough = card ? isEnough(facts, link) : Enough::No;
    if (width && most && *width < *most) {
        all.push_back(
            {{},
             enough == Enough::Yes        ? rules::Severity::Info
             : enough == Enough::NotKnown ? rules::Severity::Warning
                                          : rules::Severity::Problem,
             fmt::format("The {} at {} has {} of its {} PCIe lanes", link.what, link.address, *width, *most),
             "Likely causes: a slot with fewer lanes, a riser, or a card that is not seated well. Compare "
             "with the other hosts.",
             fixOf(link)});
        return;
    }
    const auto speed = host::pcieMbps(facts.text(link.fact + "current_link_speed"), "1");
    const auto fastest = host::pcieMbps(facts.text(link.fact + "max_link_speed"), "1");
    if (speed && fastest && *speed < *fastest) {
        all.push_back({{},
                       enough == Enough::Yes ? rules::Severity::Info : rules::Severity::Warning,
                       fmt::format("The {} at {} runs its PCIe link at {} of {}", link.what, link.address,
                                   facts.text(link.fact + "current_link_speed"),
                                   facts.text(link.fact + "max_link_speed")),
                       "Likely causes: a slot of an older generation, a firmware setting, or a link that "
                       "trained down for "
                       "errors. Compare with the other hosts.",
                       fixOf(link)});
    }
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    for (const auto& [kind, what] : {std::pair("nic.", "network card"), std::pair("disk.", "disk")}) {
        for (const std::string& address : facts.namesAfter(kind)) {
            judge(facts, {address, kind + address + ".", what}, all);
        }
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(pci_links, .title = "PCIe links", .run = run);

} // namespace ringside::doctor::check_pci_links
