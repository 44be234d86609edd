// SPDX-License-Identifier: Apache-2.0
// A folder with one Parquet file for each table, for data bases and data frames on other machines: small, but
// read into memory.
#include "export/exporter.h"
#include "export/parquet_file.h"
#include "export/table_folder.h"

namespace ringside::exporting::exporter_parquet {
namespace {

void writeTables(const trace::RunTrace& run, const std::filesystem::path& output)
{
    writeTableFolder<ParquetFile>(run, output, ".parquet");
}

} // namespace

RINGSIDE_EXPORTER(parquet, .title = "a folder with one Parquet file for each table",
                  .writeTables = writeTables);

} // namespace ringside::exporting::exporter_parquet
