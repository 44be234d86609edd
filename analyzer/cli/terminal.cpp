// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include "values/parse_number.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace ringside::cli {
namespace {

std::string_view environmentText(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Returns 0 if COLUMNS is no number.
std::size_t columnsGiven()
{
    return values::parseNumber<std::size_t>(environmentText("COLUMNS")).value_or(0);
}

/// Returns 0 if stdout is no terminal or does not know its width.
std::size_t columnsOfTerminal()
{
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

} // namespace

bool obeysEscapes(int descriptor)
{
    const std::string_view kind = environmentText("TERM");
    return !kind.empty() && kind != "dumb" && isatty(descriptor) == 1;
}

bool showsColours(int descriptor, std::string_view when)
{
    return when == "auto" ? environmentText("NO_COLOR").empty() && obeysEscapes(descriptor)
                          : when == "always";
}

std::size_t proseWidth()
{
    constexpr std::size_t kNarrowest = 20;
    constexpr std::size_t kUsual = 80;
    constexpr std::size_t kWidest = 100; // longer lines are hard to read; tables are as wide
    const std::size_t given = columnsGiven();
    const std::size_t width = given > 0 ? given : columnsOfTerminal();
    return width > 0 ? std::clamp(width, kNarrowest, kWidest) : kUsual;
}

} // namespace ringside::cli
