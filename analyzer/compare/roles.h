// SPDX-License-Identifier: Apache-2.0
// A recording of several programs that form one job, such as a trainer and what generates its samples: each
// is a role with ranks and steps of its own. Tells how the roles share the time. All times are ns.
#pragma once
#include "document/document.h"
#include "model/model_options.h"
#include "values/interval.h"

#include <ringside/trace/reader.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ringside::compare {

/// Time in which no GPU of a role worked while another role did.
struct RoleWait {
    std::size_t other = 0; ///< index of the role that worked
    std::int64_t ns = 0;
    std::size_t times = 0;
    values::Interval longest; ///< epoch ns
};

struct Role {
    std::string name;    ///< RINGSIDE_ROLE of its processes, else their program; numbered if several have it
    std::string program; ///< of its first process
    std::vector<std::filesystem::path> files;
    std::vector<std::int64_t> ranks;
    std::size_t steps = 0;                    ///< of its first rank that has steps
    std::optional<std::int64_t> medianStepNs; ///< null: no steps were found
    bool emulated = false;
    std::vector<values::Interval> busy; ///< at least one of its GPUs works, epoch ns; ascending, disjoint

    // What Roles::window was spent on; these times sum to it.
    std::int64_t busyNs = 0;
    std::int64_t shortGapsNs = 0; ///< idle for less than kWaitNs at a time
    std::int64_t nobodyNs = 0;    ///< idle for longer, and no other role worked
    std::vector<RoleWait> waits;  ///< by the role that worked, longest first

    [[nodiscard]] std::int64_t waitNs() const;
};

/// Idle for at least this long, a role is taken to wait; shorter gaps lie between its own kernels.
inline constexpr std::int64_t kWaitNs = 1'000'000;

struct Roles {
    std::vector<Role> roles; ///< by name
    /// Epoch ns in which work of every role's GPUs was recorded. Null: there is none.
    std::optional<values::Interval> window;
    bool severalHosts = false; ///< then the comparison rests on the wall clocks of hosts
};

/// Interprets each program of a recording by itself and compares when their GPUs worked. Throws
/// ringside::Error as buildModel does.
[[nodiscard]] Roles compareRoles(trace::RunTrace run, const model::ModelOptions& options);

[[nodiscard]] document::Document documentOf(const Roles& roles, const std::string& name);
/// Returns ringside-roles/1 (ringside-roles-1.schema.json).
[[nodiscard]] std::string jsonOf(const Roles& roles);

} // namespace ringside::compare
