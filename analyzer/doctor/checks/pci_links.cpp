// SPDX-License-Identifier: Apache-2.0
// PCIe links of GPUs and cards that run narrower than they could. A lower speed alone says little: idle GPUs
// lower it.
#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor {
namespace {

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    for (const std::string_view kind : {"gpu", "nic"}) {
        for (const std::string& address : facts.namesAfter(std::string(kind) + ".")) {
            const std::string fact = fmt::format("{}.{}.", kind, address);
            const auto width = facts.number(fact + "current_link_width");
            const auto most = facts.number(fact + "max_link_width");
            if (width && most && *width < *most) {
                all.push_back({{},
                               rules::Severity::Warning,
                               fmt::format("The {} at {} has {} of its {} PCIe lanes",
                                           kind == "gpu" ? "GPU" : "network card", address, *width, *most),
                               "A slot with fewer lanes, a riser or a card that is not seated well; compare "
                               "with the other hosts.",
                               fmt::format("sudo lspci -vv -s {} | grep -E 'LnkCap|LnkSta'", address)});
            }
        }
    }
    return all;
}

} // namespace
} // namespace ringside::doctor

RINGSIDE_CHECK(pci_links, .title = "PCIe links", .run = ringside::doctor::run);
