// SPDX-License-Identifier: Apache-2.0
// `ringside roles RUN`: how the programs of one job share the time.
#include "compare/roles.h"

#include "cli/command.h"
#include "cli/page_output.h"
#include "cli/run_input.h"
#include "import/open_run.h"

#include <memory>

namespace ringside::cli::command_roles {
namespace {

struct Options {
    RunPaths run;
    std::string format = "text";
    ModelArguments modelArguments;
};

int roles(const Options& options)
{
    const compare::Roles result =
        compare::compareRoles(openRun(options.run), options.modelArguments.modelOptions());
    printPage(
        options.format, [&] { return compare::jsonOf(result); },
        [&] {
            return compare::documentOf(result, importers::namedPath(options.run.front()).filename().string());
        });
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    addRunOption(app, options->run);
    addModelOptions(app, options->modelArguments);
    addPageFormatOption(app, options->format);
    return [options] { return roles(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside roles run.ringside", "The roles of a recording, and when they wait for each other."},
    {"ringside roles run.ringside --format html > roles.html", "The same as a page."},
}};

} // namespace

RINGSIDE_COMMAND(roles, .summary = "Show how the programs of one job share the time",
                 .group = Group::Understand, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_roles
