// SPDX-License-Identifier: Apache-2.0
// Limits of processes started from this shell: locked memory, open files, stacks.
#include "doctor/gatherer.h"

#include <sstream>

namespace ringside::doctor::gatherer_limits {
namespace {

struct Limit {
    std::string_view line; ///< start of the line in /proc/self/limits
    const char* fact;
};
constexpr Limit kLimits[] = {{"Max locked memory", "limit.memlock_bytes"},
                             {"Max open files", "limit.open_files"},
                             {"Max stack size", "limit.stack_bytes"},
                             {"Max processes", "limit.processes"}};

void gather(const Root& root, Facts& facts)
{
    for (const std::string& line : root.lines("/proc/self/limits")) {
        for (const Limit& limit : kLimits) {
            if (line.starts_with(limit.line)) {
                std::istringstream rest(line.substr(limit.line.size()));
                std::string soft;
                std::string hard;
                if (rest >> soft >> hard) {
                    facts.set(limit.fact, soft);
                    facts.set(std::string(limit.fact) + "_hard", hard);
                }
            }
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_limits
