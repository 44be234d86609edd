// SPDX-License-Identifier: Apache-2.0
// Versions of the libraries that a job would load (practitioners' guides: CUDA >= 11.8, cuDNN >= 8.9, NCCL >=
// 2.14), and whether the driver is loaded.
#include "settings/versions.h"

#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor::check_versions {
namespace {

using rules::Severity;

struct Oldest {
    const char* fact;
    const char* name;
    std::int64_t version;
    std::string (*text)(std::int64_t);
};
constexpr Oldest kOldest[] = {{"library.nccl", "NCCL", 21400, settings::ncclText},
                              {"library.cuda_runtime", "the CUDA runtime", 11080, settings::cudaText},
                              {"library.cudnn", "cuDNN", 8900, settings::cudnnText}};

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    for (const Oldest& each : kOldest) {
        const auto version = facts.number(each.fact);
        if (version && *version < each.version) {
            all.push_back(
                {{},
                 Severity::Warning,
                 fmt::format("{} is {}, older than {} ({})", each.name, each.text(*version),
                             each.text(each.version), facts.text(std::string(each.fact) + ".path")),
                 "Newer versions are faster and tune themselves. Try a newer container or wheel and compare.",
                 ""});
        }
    }
    const bool gpus = !facts.namesAfter("gpu.").empty();
    if (gpus && facts.find("library.nvidia_driver") == nullptr) {
        all.push_back({{},
                       Severity::Problem,
                       "This host has GPUs, but their driver is not loaded",
                       "Training would not start here.",
                       "nvidia-smi"});
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(versions, .title = "Versions", .run = run);

} // namespace ringside::doctor::check_versions
