// SPDX-License-Identifier: Apache-2.0
#include "trace/read/run_outline.h"

#include "trace/read/parallel.h"
#include "trace/read/process_reader.h"
#include "trace/read/run_files.h"

#include <ringside/error.h>

#include <iterator>
#include <system_error>

namespace ringside::trace {

std::vector<ProcessOutline> outlineOf(const std::filesystem::path& run, std::string_view host)
{
    const auto files = traceFilesOf(run);
    std::vector<std::vector<ProcessOutline>> found(files.size());
    parallelFor(files.size(), coreCount(), [&](std::size_t i) {
        try {
            found[i] = outlineOfFile(files[i], host);
        } catch (const Error&) { // whoever reads the run reports it
            return;
        }
    });
    std::vector<ProcessOutline> result;
    for (auto& processes : found) {
        std::move(processes.begin(), processes.end(), std::back_inserter(result));
    }
    return result;
}

std::uintmax_t fileBytesOf(const std::filesystem::path& run)
{
    std::uintmax_t bytes = 0;
    for (const std::filesystem::path& file : traceFilesOf(run)) {
        std::error_code ignored;
        const std::uintmax_t size = std::filesystem::file_size(file, ignored);
        bytes += ignored ? 0 : size;
    }
    return bytes;
}

} // namespace ringside::trace
