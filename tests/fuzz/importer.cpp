// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file of another tool give rows, issues or ringside::Error, never anything else.
// Built once an importer, whose name is RINGSIDE_IMPORTER_NAME.
#include "import/importer.h"

#include "input_file.h"

#include <ringside/error.h>

#define RINGSIDE_JOIN_NAMES(a, b) a##b
#define RINGSIDE_JOIN(a, b) RINGSIDE_JOIN_NAMES(a, b)
#define RINGSIDE_IMPORTER_NAMESPACE ringside::importers::RINGSIDE_JOIN(importer_, RINGSIDE_IMPORTER_NAME)
#define RINGSIDE_FUZZED RINGSIDE_IMPORTER_NAMESPACE::entry

namespace RINGSIDE_IMPORTER_NAMESPACE {
extern const Importer entry;
} // namespace RINGSIDE_IMPORTER_NAMESPACE

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const ringside::fuzz::InputFile file(data, size, "-" + std::string(RINGSIDE_FUZZED.id));
    ringside::importers::Progress progress;
    static_cast<void>(RINGSIDE_FUZZED.recognises({reinterpret_cast<const char*>(data), size}, file.path()));
    try {
        static_cast<void>(RINGSIDE_FUZZED.import({file.path(), 1, progress}));
    } catch (const ringside::Error&) {
        // Refusing is right for most inputs.
    }
    return 0;
}
