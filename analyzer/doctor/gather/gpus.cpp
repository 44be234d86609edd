// SPDX-License-Identifier: Apache-2.0
// Configuration and health of NVIDIA GPUs: from the driver's library on this host, or from the output of
// `nvidia-smi -q -x` in nvidia-smi.xml for the copy of another host.
#include "doctor/child.h"
#include "doctor/gatherer.h"
#include "doctor/nvidia_smi.h"
#include "doctor/nvml_facts.h"

#include <fstream>
#include <sstream>

namespace ringside::doctor::gatherer_gpus {
namespace {

std::string contents(const std::filesystem::path& path)
{
    constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
    std::ifstream file(path);
    std::string text(kMostBytes, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return text;
}

void gather(const Root& root, Facts& facts)
{
    if (!root.live()) {
        if (std::filesystem::exists(root.path("/nvidia-smi.xml"))) {
            ringside::doctor::addNvidiaSmi(contents(root.path("/nvidia-smi.xml")), facts);
        }
        return;
    }
    std::istringstream lines(ringside::doctor::outputOfChild(ringside::doctor::writeNvmlFacts));
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t blank = line.find(' '); blank != std::string::npos) {
            facts.set(line.substr(0, blank), line.substr(blank + 1));
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_gpus
