// SPDX-License-Identifier: Apache-2.0
#include "cli/left_symptoms.h"

#include "cli/run_input.h"
#include "cli/text_file.h"
#include "hang/symptoms.h"
#include "import/bytes.h"
#include "import/importer.h"
#include "import/input.h"
#include "import/rank_names.h"

#include <ringside/error.h>

namespace ringside::cli {
namespace {

/// Dumps and traces of tools are JSON, pickles or databases.
bool isLog(const std::filesystem::path& path)
{
    const std::string head = importers::headOf(path, importers::kHeadBytes);
    const std::size_t first = head.find_first_not_of(" \n\t\r");
    return first != std::string::npos && head[first] != '{' && head.find('\0') == std::string::npos &&
           head[first] != '\x80';
}

void readLog(const std::filesystem::path& path, importers::Progress& progress, hang::Symptoms& symptoms)
{
    constexpr std::size_t kLongestLine = 16U << 10U;
    const importers::File file(path);
    importers::Bytes bytes(file, 0, progress);
    importers::LineReader lines(bytes, kLongestLine);
    importers::Line line;
    symptoms.beginFile(importers::rankOfName(path), modifiedNsOf(path));
    while (lines.next(line)) {
        symptoms.add(line.text);
    }
}

} // namespace

std::optional<hang::Witness> firstSymptomOf(const std::vector<std::filesystem::path>& files)
{
    hang::Symptoms symptoms;
    withProgress([&](importers::Progress& progress) {
        for (const std::filesystem::path& path : files) {
            try {
                if (isLog(path)) {
                    readLog(path, progress, symptoms);
                }
            } catch (const Error&) { // a damaged file is no log
                continue;
            }
        }
    });
    return symptoms.first();
}

} // namespace ringside::cli
