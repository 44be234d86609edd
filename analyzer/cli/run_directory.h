// SPDX-License-Identifier: Apache-2.0
// The run directory of a recorded command: created for its launch, or shared with other members of it.
#pragma once
#include "cli/launch_member.h"
#include "trace/read/folder.h"

#include <filesystem>
#include <string>

namespace ringside::cli {

/// Creates the directory with mode 0700, or accepts an empty one. Throws as join() does.
void createRunDirectory(const std::filesystem::path& path);

/// Returns a name for a new run: ringside-DATE-TIME, without extension.
[[nodiscard]] std::string newRunName();

class RunDirectory final {
public:
    /// Creates the directory with mode 0700, or joins one that holds only this launch. If the path is empty,
    /// uses the launch's directory in the working directory, else ringside-DATE-TIME.ringside. Throws
    /// ringside::Error if it holds anything else, or if other users can write to it.
    [[nodiscard]] static RunDirectory join(const std::filesystem::path& wanted);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Returns the value of RINGSIDE_LAUNCH for the command.
    [[nodiscard]] const std::string& token() const { return m_member.token; }

    /// Writes into the note how the command ended, if possible. Removes the note if the whole launch recorded
    /// nothing.
    void leave(int exitCode);

private:
    RunDirectory(std::filesystem::path path, trace::Folder folder, Member member);
    [[nodiscard]] static RunDirectory joinOne(const std::filesystem::path& path, const Member& member);
    [[nodiscard]] static RunDirectory joinFirst(const std::string& name, const Member& member);
    void writeNote() const;

    std::filesystem::path m_path;
    trace::Folder m_folder;
    Member m_member;
    std::string m_note; ///< file name of the note
};

} // namespace ringside::cli
