// SPDX-License-Identifier: Apache-2.0
// What work of a device is for, more coarsely than by kernel and more finely than by kind: families of
// compute kernels that a picture can tell apart, copies, and communication by pattern. Told by names; nothing
// is measured by them.
#pragma once
#include "timeline/timeline.h"

#include <optional>
#include <string_view>

namespace ringside::timeline {

enum class WorkFamily : std::uint8_t {
    Matmul,
    Attention,
    Normalisation,
    Optimizer,
    Elementwise,
    OtherCompute,
    Copies, ///< also by kernels
    Reductions,
    Gathers,
    AllToAll,
    Messages,
    OtherCommunication,
};
inline constexpr std::size_t kWorkFamilies = 12;

[[nodiscard]] std::string_view familyName(WorkFamily family);
/// Returns the family of a communication kernel, by its name.
[[nodiscard]] WorkFamily communicationFamily(std::string_view kernel);
/// Returns the family of device work that is not waiting; null for everything else.
[[nodiscard]] std::optional<WorkFamily> workFamilyOf(const model::Model& model, const Track& track,
                                                     const Span& span);

} // namespace ringside::timeline
