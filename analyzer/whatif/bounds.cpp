// SPDX-License-Identifier: Apache-2.0
#include "whatif/bounds.h"

#include <algorithm>

namespace ringside::whatif {

std::optional<CostBounds> boundsOf(const CostLine& line, double bytes)
{
    const double edge = std::clamp(bytes, line.leastBytes, line.mostBytes);
    return edge == bytes ? std::nullopt
                         : std::optional(boundsBetween(line.at(edge), line.at(edge) * bytes / edge, line));
}

CostBounds boundsBetween(double oneNs, double otherNs, const CostLine& line)
{
    return {std::max(0.0, std::min(oneNs, otherNs) - line.residualNs),
            std::max(oneNs, otherNs) + line.residualNs};
}

Plan atBounds(Plan plan, double CostBounds::*end)
{
    for (PlannedSlot& slot : plan.slotTable) {
        slot.ns = slot.bounds ? *slot.bounds.*end : slot.ns;
    }
    return plan;
}

} // namespace ringside::whatif
