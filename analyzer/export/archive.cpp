// SPDX-License-Identifier: Apache-2.0
#include "export/archive.h"

#include <ringside/error.h>
#include <ringside/trace/private_file.h>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace ringside::exporting {

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

} // namespace ringside::exporting
