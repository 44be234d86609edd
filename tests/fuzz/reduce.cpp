// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a trace are reduced to summaries that a report can be made of, or refused.
#include "reduce/reduce.h"

#include "input_file.h"
#include "trace/read/unfinished.h"

#include <ringside/error.h>
#include <ringside/trace/reader.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ringside;
    constexpr std::int64_t kSteps = 10;
    const fuzz::InputFile file(data, size, "-reduce.db");
    const trace::Unfinished folder = trace::makeTemporaryFolder();
    try {
        for (const reduce::HostRun& host : reduce::hostsOf(file.path())) {
            const reduce::Reduced reduced = reduce::reduceHost(host, {folder.path(), kSteps});
            if (trace::openRun(reduced.file).processes.size() != reduced.processes) {
                std::abort();
            }
        }
    } catch (const Error&) { // refusing is right for most inputs
        return 0;
    }
    return 0;
}
