// SPDX-License-Identifier: Apache-2.0
// Machine, kernel, and the container around this process, if any.
#include "doctor/gatherer.h"

#include <sys/utsname.h>

namespace ringside::doctor::gatherer_host {
namespace {

/// Returns the kind of the container by the marks that its software leaves; empty: none found.
std::string container(const Root& root)
{
    if (std::filesystem::exists(root.path("/.dockerenv"))) {
        return "docker";
    }
    if (std::filesystem::exists(root.path("/run/.containerenv"))) {
        return "podman";
    }
    if (std::filesystem::exists(root.path("/.singularity.d"))) {
        return "apptainer";
    }
    const std::string cgroup = root.line("/proc/1/cgroup").value_or("");
    return cgroup.find("kubepods") != std::string::npos ? "kubernetes" : "";
}

void gather(const Root& root, Facts& facts)
{
    utsname names{};
    if (const auto name = root.line("/proc/sys/kernel/hostname")) {
        facts.set("host.name", *name);
    } else if (root.live() && uname(&names) == 0) {
        facts.set("host.name", names.nodename);
    }
    if (const auto release = root.line("/proc/sys/kernel/osrelease")) {
        facts.set("kernel.release", *release);
    }
    for (const std::string& line : root.lines("/etc/os-release")) {
        if (line.starts_with("PRETTY_NAME=")) {
            std::string name = line.substr(line.find('=') + 1);
            std::erase(name, '"');
            facts.set("kernel.distribution", name);
        }
    }
    if (const std::string kind = container(root); !kind.empty()) {
        facts.set("host.container", kind);
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_host
