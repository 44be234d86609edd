// SPDX-License-Identifier: Apache-2.0
#include "import/device_words.h"

#include <ringside/trace/rows.h>

#include <algorithm>
#include <array>

namespace ringside::importers {

std::uint32_t copyKind(std::string_view name)
{
    struct Kind {
        std::string_view text;
        std::uint32_t kind;
    };
    constexpr std::array kKinds{Kind{"HtoD", 1},
                                Kind{"DtoH", 2},
                                Kind{"HtoA", 3},
                                Kind{"AtoH", 4},
                                Kind{"AtoA", 5},
                                Kind{"AtoD", 6},
                                Kind{"DtoA", 7},
                                Kind{"DtoD", 8},
                                Kind{"HtoH", 9},
                                Kind{"PtoP", 10},
                                Kind{"H2D", 1},
                                Kind{"D2H", 2},
                                Kind{"D2D", 8},
                                Kind{"P2P", 10},
                                Kind{"HostToDevice", 1},
                                Kind{"DeviceToHost", 2},
                                Kind{"DeviceToDevice", 8},
                                Kind{"HostToHost", 9},
                                Kind{"HOST_TO_DEVICE", 1},
                                Kind{"DEVICE_TO_HOST", 2},
                                Kind{"DEVICE_TO_DEVICE", 8},
                                Kind{"HOST_TO_HOST", 9}};
    const auto found = std::ranges::find_if(
        kKinds, [&](const Kind& kind) { return name.find(kind.text) != std::string_view::npos; });
    return found != kKinds.end() ? found->kind : 0;
}

std::uint32_t hostMemory(std::uint32_t kind, std::string_view text)
{
    const auto named = [&](std::string_view memory) { return text.find(memory) != std::string_view::npos; };
    const std::uint32_t memory = named("Pageable") || named("pageable") ? trace::kPageableMemory
                                 : named("Pinned") || named("pinned")   ? trace::kPinnedMemory
                                                                        : 0;
    return trace::hostMemoryOf(kind, memory, memory);
}

} // namespace ringside::importers
