// SPDX-License-Identifier: Apache-2.0
// Reads the launch configurations of kernels, and assigns ids to them. Most kernels have the same texts as
// the last one of their name, so their texts are compared before they are parsed.
#pragma once
#include "import/kineto/event.h"
#include "trace/write/launch_configurations.h"

#include <ringside/trace/rows.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers::kineto {

class LaunchTable final {
public:
    /// Returns the id of a kernel's configuration; 0 if the event says nothing of it.
    std::uint32_t idOf(trace::StringId name, const LaunchTexts& texts);
    /// Adds the configurations of another stretch, whose names are `names[id]` here. Returns the new ids by
    /// old id.
    std::vector<std::uint32_t> append(const LaunchTable& other, const std::vector<trace::StringId>& names);
    /// Moves the rows out, by id.
    [[nodiscard]] std::vector<trace::LaunchConfigurationRow> take() { return std::move(m_rows); }
    [[nodiscard]] std::int64_t refused() const { return m_ids.refused(); }

private:
    struct Last {
        std::string texts; ///< of the last kernel of a name, one after the other
        std::uint32_t id = 0;
    };
    std::uint32_t add(trace::LaunchConfigurationRow row);

    trace::LaunchConfigurations m_ids;
    std::vector<trace::LaunchConfigurationRow> m_rows;
    std::vector<Last> m_last; ///< by name
};

} // namespace ringside::importers::kineto
