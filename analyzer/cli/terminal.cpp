// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ringside::cli {
namespace {

std::string_view environmentText(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

} // namespace

bool obeysEscapes(int descriptor)
{
    const std::string_view kind = environmentText("TERM");
    return !kind.empty() && kind != "dumb" && isatty(descriptor) == 1;
}

bool showsColours(int descriptor)
{
    return environmentText("NO_COLOR").empty() && obeysEscapes(descriptor);
}

} // namespace ringside::cli
