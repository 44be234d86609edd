// SPDX-License-Identifier: Apache-2.0
// A folder with one Arrow file for each table, for data frames: programs map it and copy nothing.
#include "export/arrow_file.h"
#include "export/exporter.h"
#include "export/table_folder.h"

namespace ringside::exporting::exporter_arrow {
namespace {

void writeTables(const trace::RunTrace& run, const std::filesystem::path& output)
{
    writeTableFolder<ArrowFile>(run, output, ".arrow");
}

} // namespace

RINGSIDE_EXPORTER(arrow, .title = "a folder with one Arrow file for each table", .writeTables = writeTables);

} // namespace ringside::exporting::exporter_arrow
