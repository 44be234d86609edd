// SPDX-License-Identifier: Apache-2.0
// A TAR archive for Perfetto (v58 and later): one JSON file for each rank, in the time of its own host, and a
// manifest with the fitted offsets between the hosts (https://perfetto.dev/docs/reference/perfetto-manifest).
// A manifest cannot express drift, so that drift is removed from the times.
#include "export/event_stream.h"
#include "export/exporter.h"
#include "export/rank_events.h"
#include "output/json_value.h"
#include "trace/export_mark.h"
#include "trace/read/unfinished.h"

#include <ringside/error.h>
#include <ringside/trace/private_file.h>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

struct archive;

namespace ringside::exporting::exporter_perfetto {
namespace {

// A TAR archive whose members are generated while they are written.

class Archive final {
public:
    /// Creates the file. Throws Error (Io) if it exists or cannot be created.
    explicit Archive(const std::filesystem::path& path);
    ~Archive();
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    /// A header holds the size of its member, so that `make` is called twice: to count, and to write. Both
    /// calls must produce the same bytes.
    void add(const std::string& name, const std::function<void(const Sink&)>& make);
    /// Flushes everything to the system. Without this call, the destructor removes the file.
    void close();

private:
    void check(bool good, const char* what) const;

    std::filesystem::path m_path;
    trace::Unfinished m_new;
    ::archive* m_archive;
};

Archive::Archive(const std::filesystem::path& path) : m_path(path), m_archive(archive_write_new())
{
    check(m_archive != nullptr, "make");
    check(archive_write_set_format_pax_restricted(m_archive) == ARCHIVE_OK, "make");
    m_new = trace::Unfinished(path, [&] { return trace::makePrivateFile(path); });
    if (m_new.path().empty()) {
        const int why = errno;
        archive_write_free(m_archive); // the destructor does not run
        throw Error(ErrorCode::Io, fmt::format("cannot create {}: {}", path.string(), std::strerror(why)),
                    "Check that the folder exists, is writable and is not full.");
    }
    check(archive_write_open_filename(m_archive, path.c_str()) == ARCHIVE_OK, "make");
}

Archive::~Archive()
{
    archive_write_free(m_archive);
}

void Archive::add(const std::string& name, const std::function<void(const Sink&)>& make)
{
    std::int64_t size = 0;
    make([&size](std::string_view text) { size += static_cast<std::int64_t>(text.size()); });

    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    check(entry != nullptr, "write");
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), size);
    check(archive_write_header(m_archive, entry.get()) == ARCHIVE_OK, "write");
    make([this](std::string_view text) {
        const la_ssize_t written = archive_write_data(m_archive, text.data(), text.size());
        check(written == static_cast<la_ssize_t>(text.size()), "write");
    });
}

void Archive::close()
{
    check(archive_write_close(m_archive) == ARCHIVE_OK, "write");
    m_new.keep();
}

void Archive::check(bool good, const char* what) const
{
    if (!good) {
        const int why = m_archive != nullptr ? archive_errno(m_archive) : ENOMEM;
        throw Error(ErrorCode::Io, fmt::format("cannot {} {}: {}", what, m_path.string(), std::strerror(why)),
                    "Check that the folder exists, is writable and is not full.");
    }
}

std::string pathOf(const model::Rank& rank)
{
    return fmt::format("rank{:05}.json", rank.rank);
}

/// Returns the clock of a file: CLOCK_MONOTONIC of its host at the first clock comparison, without drift
/// after it.
model::ClockMap fileClock(const model::Rank& rank)
{
    return {rank.clock.localReference, rank.clock.localReference, rank.clock.drift};
}

Json manifest(const model::Model& model, const std::vector<std::size_t>& ranks)
{
    Json files = Json::array();
    for (const std::size_t index : ranks) {
        const model::Rank& rank = model.ranks[index];
        files.push_back({{"path", pathOf(rank)},
                         {"machine", {{"name", model.hosts[rank.host].name}}},
                         {"clocks", {{"offset_ns", rank.clock.runReference - rank.clock.localReference}}}});
    }
    return {{"perfetto_manifest", {{"version", 1}, {"files", files}}}};
}

void writeTrace(const model::Model& model, std::size_t rank, const Slice& slice, const Sink& sink)
{
    sink(fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{{}}},\"traceEvents\":[\n",
                     trace::kExportMark));
    writeRankEvents(model, rank, fileClock(model.ranks[rank]), sink, slice.time);
    sink("\n]}\n");
}

void writeSlice(const report::Report& report, const std::filesystem::path& output, const Slice& slice,
                const Progress& progress)
{
    Archive archive(output);
    const std::vector<std::size_t> ranks = ranksOf(report.model, slice);
    // Its name sorts before the others: readers process the files in that order.
    const std::string text =
        manifest(report.model, ranks).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    archive.add("manifest.json", [&](const Sink& sink) { sink(text); });
    std::size_t passes = 0; // each rank has two: to count, and to write
    for (const std::size_t rank : ranks) {
        archive.add(pathOf(report.model.ranks[rank]), [&](const Sink& sink) {
            writeTrace(report.model, rank, slice, [&](std::string_view piece) {
                progress(static_cast<double>(passes) / static_cast<double>(2 * ranks.size()));
                sink(piece);
            });
            ++passes;
        });
    }
    archive.close();
}

void write(const report::Report& report, const std::filesystem::path& output)
{
    writeSlice(report, output, {}, [](double /*share*/) {});
}

} // namespace

RINGSIDE_EXPORTER(perfetto, .title = "an archive for Perfetto with clock offsets between hosts",
                  .ending = "tar", .write = write, .writeSlice = writeSlice);

} // namespace ringside::exporting::exporter_perfetto
