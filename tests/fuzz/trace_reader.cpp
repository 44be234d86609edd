// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a trace file give rows, issues or ringside::Error, never anything else; nor as a
// line of a stack file.
#include "input_file.h"

#include <ringside/error.h>
#include <ringside/trace/reader.h>
#include <ringside/trace/stacks.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static_cast<void>(
        ringside::trace::parseStackLine(std::string_view(reinterpret_cast<const char*>(data), size)));
    const ringside::fuzz::InputFile file(data, size, ".db");
    try {
        static_cast<void>(ringside::trace::openRun(file.path()));
    } catch (const ringside::Error&) {
        // Refusing is right for most inputs.
    }
    return 0;
}
