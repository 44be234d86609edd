// SPDX-License-Identifier: Apache-2.0
// The run directory of a recorded command: made for its launch, or shared with the others of it.
#pragma once
#include "cli/launch_member.h"
#include "trace/read/folder.h"

#include <filesystem>
#include <string>

namespace ringside::cli {

/// For one program's work: makes it with mode 0700, or accepts an empty one. Throws as join() does.
void createRunDirectory(const std::filesystem::path& path);

/// A name for a new run: ringside-DATE-TIME, without its extension.
[[nodiscard]] std::string newRunName();

class RunDirectory final {
public:
    /// Makes it with mode 0700, or joins one that holds nothing but this launch. Empty: one of the launch's
    /// in the working directory, else ringside-DATE-TIME.ringside. Throws ringside::Error where it holds
    /// something else, or is not this user's alone to write.
    [[nodiscard]] static RunDirectory join(const std::filesystem::path& wanted);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// RINGSIDE_LAUNCH for the command.
    [[nodiscard]] const std::string& token() const { return m_member.token; }

    /// Notes how the command ended, as far as it can. Leaves no note where, of the whole launch, nothing was
    /// recorded.
    void leave(int exitCode);

private:
    RunDirectory(std::filesystem::path path, trace::Folder folder, Member member);
    [[nodiscard]] static RunDirectory joinOne(const std::filesystem::path& path, const Member& member);
    [[nodiscard]] static RunDirectory joinFirst(const std::string& name, const Member& member);
    void writeNote() const;

    std::filesystem::path m_path;
    trace::Folder m_folder;
    Member m_member;
    std::string m_note; ///< its name
};

} // namespace ringside::cli
