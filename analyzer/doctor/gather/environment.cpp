// SPDX-License-Identifier: Apache-2.0
// Variables that a job started from here would inherit, limited to names that a trace may store, and
// variables of NCCL's configuration files. Values that look like secrets are replaced.
#include "doctor/gatherer.h"

#include <ringside/trace/environment.h>

#include <unistd.h>

#include <cstdlib>

namespace ringside::doctor::gatherer_environment {
namespace {

void addVariable(Facts& facts, const std::string& prefix, std::string_view text)
{
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals != std::string_view::npos && ringside::trace::isStoredVariable(name)) {
        facts.set(prefix + std::string(name), ringside::trace::redacted(name, text.substr(equals + 1)));
    }
}

void gather(const Root& root, Facts& facts)
{
    for (char** variable = environ; root.live() && variable != nullptr && *variable != nullptr; ++variable) {
        addVariable(facts, "environment.", *variable);
    }
    // NCCL user guide: the user's file overrides the machine's.
    const char* const home = std::getenv("HOME");
    const char* const own = std::getenv("NCCL_CONF_FILE");
    std::vector<std::string> files{"/etc/nccl.conf"};
    if (root.live() && own != nullptr) {
        files.emplace_back(own);
    } else if (root.live() && home != nullptr) {
        files.emplace_back(std::string(home) + "/.nccl.conf");
    }
    for (const std::string& file : files) {
        for (const std::string& line : root.lines(file)) {
            if (line.starts_with("NCCL_")) {
                addVariable(facts, "nccl.conf.", line);
            }
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_environment
