// SPDX-License-Identifier: Apache-2.0
#include "record/nccl_settings.h"

#include "host/input_file.h"
#include "record/emulation.h"

#include <ringside/trace/environment.h>
#include <ringside/trace/library_names.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>

namespace ringside::collector {
namespace {

/// Names of NCCL's variables in the environment and in NCCL's configuration files.
using Names = std::set<std::string>;

/// All names except the one that the collector sets itself.
void addName(Names& names, std::string_view name)
{
    if (trace::belongsToNccl(name) && name != "NCCL_PROFILER_PLUGIN") {
        names.emplace(name);
    }
}

Names environmentNames()
{
    Names names;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        addName(names, text.substr(0, text.find('=')));
    }
    return names;
}

/// Reads lines NAME=VALUE. NCCL uses those whose names are not in the environment.
void readConfiguration(trace::Writer& writer, const std::string& path, Names& names)
{
    constexpr int kMostLines = 1000;
    host::InputFile file(path);
    std::string line;
    for (int i = 0; i < kMostLines && std::getline(file, line); ++i) {
        const std::size_t equals = line.find('=');
        const std::string name = line.substr(0, equals);
        if (equals == std::string::npos || !name.starts_with("NCCL_") || names.contains(name)) {
            continue;
        }
        writer.add(trace::SettingRow{"nccl.conf", name, trace::redacted(name, line.substr(equals + 1))});
        addName(names, name);
    }
}

void writeUnknownNames(trace::Writer& writer, const std::string& library, const Names& names)
{
    const auto missing = trace::namesMissingIn(library, names);
    if (!missing) {
        return;
    }
    std::string list;
    for (const std::string& name : *missing) {
        list += (list.empty() ? "" : ",") + name;
    }
    writer.add(trace::settingRow({"library", "nccl_unknown_variables"}, list));
}

} // namespace

void writeNcclSettings(trace::Writer& writer, const void* anyFunction)
{
    Names names = environmentNames();
    // The order of NCCL's user guide: a variable overrides the user's file, which overrides the
    // machine's.
    const char* own = std::getenv("NCCL_CONF_FILE");
    const char* home = std::getenv("HOME");
    if (own != nullptr) {
        readConfiguration(writer, own, names);
    } else if (home != nullptr) {
        readConfiguration(writer, std::string(home) + "/.nccl.conf", names);
    }
    readConfiguration(writer, "/etc/nccl.conf", names);
    Dl_info where{};
    if (dladdr(anyFunction, &where) == 0 || where.dli_fname == nullptr) {
        return;
    }
    writer.add(trace::settingRow({"library", "nccl_path"}, where.dli_fname));
    // The emulated NCCL reads few variables, so an unknown one there does not mean that NCCL lacks it.
    if (!isPlatformEmulated()) {
        writeUnknownNames(writer, where.dli_fname, names);
    }
}

} // namespace ringside::collector
