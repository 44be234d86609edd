// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/nearest_port.h"

#include "metrics/samples.h"
#include "rules/shared/settings.h"

namespace ringside::rules {
namespace {

metrics::PciPlace placeOf(const model::Model& model, const model::Rank& rank)
{
    const trace::ProcessTrace& process = model.processOf(rank);
    const std::string gpu = metrics::gpuName(model, rank);
    return {
        settingOf(process, {"device", "*_pci_path"}, gpu).value_or(""),
        values::parseNumber<std::int64_t>(settingOf(process, {"device", "*_numa_node"}, gpu).value_or(""))};
}

} // namespace

Nearest nearestOf(const model::Model& model, const std::vector<metrics::Port>& ports, const model::Rank& rank)
{
    constexpr std::int64_t kActive = 4;
    const metrics::PciPlace gpu = placeOf(model, rank);
    Nearest nearest;
    for (const metrics::Port& port : ports) {
        if (port.host != model.processOf(rank).process.host) {
            continue;
        }
        const auto node = values::parseNumber<std::int64_t>(port.fact("numa_node"));
        const auto distance =
            metrics::pciDistance(gpu, {port.fact("pci_path"), node && *node >= 0 ? node : std::nullopt});
        if (!distance) {
            continue;
        }
        const auto replaceIfNearer = [&](std::optional<Adapter>& best) {
            best = !best || *distance < best->distance ? Adapter{&port, *distance} : best;
        };
        replaceIfNearer(nearest.any);
        if (port.last("state") == std::optional(kActive) && port.carried() != std::optional(false)) {
            replaceIfNearer(nearest.used);
        }
    }
    return nearest;
}

} // namespace ringside::rules
