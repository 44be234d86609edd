// SPDX-License-Identifier: Apache-2.0
// Variables of NCCL and PyTorch in the environment of a job, checked against the NCCL that it would load.
#include "doctor/check.h"
#include "settings/variables.h"
#include "words/render.h"

#include <sstream>

namespace ringside::doctor::check_nccl_variables {
namespace {

std::vector<Advice> run(const Facts& facts, const Need&)
{
    settings::Variables variables;
    // The environment overrides configuration files.
    for (const std::string_view prefix : {"environment.", "nccl.conf."}) {
        for (const auto& [fact, value] : facts.all()) {
            if (fact.starts_with(prefix)) {
                variables.emplace(fact.substr(prefix.size()), value);
            }
        }
    }
    settings::LoadedLibrary reader{facts.number("library.nccl"), {}, [](const std::string& path) {
                                       std::error_code error;
                                       return std::filesystem::exists(path, error);
                                   }};
    std::istringstream names{std::string(facts.text("nccl.unknown_variables"))};
    for (std::string name; std::getline(names, name, ',');) {
        reader.unknown.insert(name);
    }
    std::vector<Advice> all;
    for (const settings::Remark& remark : settings::checkVariables(variables, reader)) {
        all.push_back({{},
                       remark.severity,
                       words::render(remark.what, {}),
                       words::render(remark.advice, {}),
                       "unset " + remark.variable});
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(nccl_variables, .title = "Variables of NCCL and PyTorch", .run = run);

} // namespace ringside::doctor::check_nccl_variables
