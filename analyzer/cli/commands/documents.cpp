// SPDX-License-Identifier: Apache-2.0
// `ringside documents`: writes manual pages and shell completion below a folder. The build runs it; --help
// does not list it.
#include "cli/command.h"
#include "cli/documents/document.h"
#include "output/output_file.h"
#include "values/parse_number.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>

namespace ringside::cli::command_documents {
namespace {

namespace fs = std::filesystem;

/// Uses SOURCE_DATE_EPOCH if it is set, so that the same sources give the same pages.
std::string today()
{
    const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
    const auto time = values::parseNumber<std::time_t>(epoch != nullptr ? epoch : "");
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time.value_or(std::time(nullptr))));
}

void write(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    output::OutputFile file(path, output::Existing::Replace);
    file.write(text);
    file.close();
}

DocumentedProgram programOf(const CLI::App& root)
{
    DocumentedProgram program{&root, {}};
    for (const Command* const command : all()) {
        if (command->group != Group::Hidden) {
            program.commands.push_back({command, root.get_subcommand(std::string(command->name))});
        }
    }
    return program;
}

int run(const CLI::App& root, const fs::path& folder)
{
    const DocumentedProgram program = programOf(root);
    const fs::path manual = folder / "man" / "man1";
    write(manual / "ringside.1", programManual(program, today()));
    for (const DocumentedCommand& each : program.commands) {
        write(manual / fmt::format("ringside-{}.1", each.command->name), commandManual(each, today()));
    }
    write(folder / "bash-completion" / "completions" / "ringside", bashCompletion(program));
    write(folder / "zsh" / "site-functions" / "_ringside", zshCompletion(program));
    write(folder / "fish" / "vendor_completions.d" / "ringside.fish", fishCompletion(program));
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto folder = std::make_shared<std::string>();
    app.add_option("-o,--output", *folder, "Folder to write them below")->type_name("FOLDER")->required();
    return [folder, &app] { return run(*app.get_parent(), *folder); };
}

} // namespace

RINGSIDE_COMMAND(documents, .summary = "Write manual pages and completion", .group = Group::Hidden,
                 .declare = declare);

} // namespace ringside::cli::command_documents
