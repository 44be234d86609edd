// SPDX-License-Identifier: Apache-2.0
#include "cli/run_directory.h"

#include "trace/read/leftover_rings.h"
#include "trace/read/system_error.h"
#include "trace/write/small_file.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <thread>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestNoteBytes = 65536;

bool isNote(const std::string& name)
{
    return name == kFirstMember || fs::path(name).extension() == kMemberExtension;
}

/// Returns false if it exists already. Throws Error if it cannot be created.
bool makeDirectory(const fs::path& path)
{
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    constexpr mode_t kPrivate = 0700;
    if (mkdir(path.c_str(), kPrivate) == 0) {
        return true;
    }
    if (errno != EEXIST) {
        throw trace::systemError("cannot create " + path.string(), errno);
    }
    return false;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why)
{
    throw Error(
        ErrorCode::Usage, fmt::format("{} is not empty{}{}", path.string(), why.empty() ? "" : ": ", why),
        fmt::format("A run directory holds one launch. Give another one with -o, or remove it. If this is "
                    "a rank of that launch, set {} to the same word for all its ranks.",
                    kLaunchVariable));
}

/// Creates the file `launch`. Returns false if another member was first.
bool claim(const trace::Folder& folder, const Member& member)
{
    constexpr mode_t kPrivate = 0600;
    const trace::Descriptor file(openat(folder.number(), kFirstMember,
                                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate));
    if (file.number() < 0 && errno != EEXIST) {
        throw trace::systemError("cannot write into the run directory", errno);
    }
    const std::string text = toText(member);
    if (file.number() >= 0 && write(file.number(), text.data(), text.size()) < 0) {
        return true; // a full disk must not stop the command
    }
    return file.number() >= 0;
}

std::optional<Member> readNote(const trace::Folder& folder, const std::string& name)
{
    const auto file = folder.openFile(name);
    return file ? memberFromText(file->head(kLongestNoteBytes)) : std::nullopt;
}

/// Null also while its creator has not written it yet.
std::optional<Member> readClaim(const trace::Folder& folder)
{
    constexpr int kClaimLooks = 20;
    constexpr auto kPause = std::chrono::milliseconds(100);
    std::optional<Member> first;
    for (int look = 0; look < kClaimLooks && !(first = readNote(folder, kFirstMember)); ++look) {
        std::this_thread::sleep_for(kPause);
    }
    return first;
}

/// Returns the oldest first.
std::vector<Member> readNotes(const trace::Folder& folder)
{
    std::vector<Member> members;
    for (const std::string& name : folder.names()) {
        if (fs::path(name).extension() == kMemberExtension) {
            if (auto member = readNote(folder, name)) {
                members.push_back(std::move(*member));
            }
        }
    }
    std::ranges::sort(members, {}, &Member::beganS);
    return members;
}

/// Returns the earlier members, the oldest first.
std::vector<Member> membersOf(const trace::Folder& folder, bool isFirst)
{
    std::vector<Member> members = readNotes(folder);
    if (members.empty() && !isFirst) {
        if (auto first = readClaim(folder)) {
            members.push_back(std::move(*first));
        }
    }
    return members;
}

/// Returns why `member` may not record there; empty: it may.
std::string whyNot(const trace::Folder& folder, const Member& member, const std::vector<Member>& others)
{
    if (!others.empty()) {
        return whyRefused(member, others);
    }
    return std::ranges::all_of(folder.names(), isNote) ? "" : "ringside record did not create it";
}

} // namespace

std::string newRunName()
{
    return fmt::format("ringside-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
}

void createRunDirectory(const fs::path& path)
{
    makeDirectory(path);
    if (!trace::openOwnRun(path).names().empty()) {
        throw Error(ErrorCode::Usage, fmt::format("{} is not empty", path.string()),
                    "A run directory holds one run. Give another one with -o, or remove it.");
    }
}

RunDirectory::RunDirectory(fs::path path, trace::Folder folder, Member member)
    : m_path(std::move(path)), m_folder(std::move(folder)), m_member(std::move(member))
{
    const std::string base = m_member.host + "-" + std::to_string(m_member.pid);
    m_note = base + kMemberExtension;
    for (int more = 2; m_folder.openFile(m_note); ++more) {
        m_note = base + "-" + std::to_string(more) + kMemberExtension;
    }
    writeNote();
}

/// On a full disk there is no note, and the command runs nevertheless.
void RunDirectory::writeNote() const
{
    static_cast<void>(trace::replaceFile(m_path / m_note, toText(m_member)));
}

RunDirectory RunDirectory::joinOne(const fs::path& path, const Member& member)
{
    makeDirectory(path);
    trace::Folder folder = trace::openOwnRun(path);
    if (const auto names = folder.names(); !names.empty() && std::ranges::none_of(names, isNote)) {
        refuse(path, "");
    }
    const bool isFirst = claim(folder, member);
    const std::vector<Member> others = membersOf(folder, isFirst);
    if (const std::string why = whyNot(folder, member, others); !why.empty()) {
        if (isFirst) {
            folder.remove(kFirstMember);
        }
        refuse(path, why);
    }
    return {path, std::move(folder), others.empty() ? member : sharingToken(member, others.front())};
}

/// Joins the first of NAME, NAME-2, NAME-3... that accepts `member`.
RunDirectory RunDirectory::joinFirst(const std::string& name, const Member& member)
{
    constexpr int kMost = 1000;
    const bool shares = !member.launch.rank.empty();
    for (int number = 1;; ++number) {
        const fs::path path =
            fs::absolute(number == 1 ? name + ".ringside" : fmt::format("{}-{}.ringside", name, number));
        try {
            if (shares || makeDirectory(path) || number == kMost) {
                return joinOne(path, member);
            }
        } catch (const Error& error) {
            if (error.code != ErrorCode::Usage || number == kMost) {
                throw;
            }
        }
    }
}

RunDirectory RunDirectory::join(const fs::path& wanted)
{
    const Member member = thisMember(launchOfEnvironment());
    if (!wanted.empty()) {
        const fs::path path = fs::absolute(wanted).lexically_normal();
        return joinOne(path.has_filename() ? path : path.parent_path(), member);
    }
    return joinFirst(member.launch.rank.empty() ? newRunName() : "ringside-" + nameOf(member.launch), member);
}

void RunDirectory::leave(int exitCode)
{
    m_member.exitCode = exitCode;
    writeNote();
    const std::vector<std::string> names = m_folder.names();
    const std::vector<Member> members = readNotes(m_folder);
    const bool allOver =
        std::ranges::all_of(members, [](const Member& each) { return each.exitCode || !mayRun(each); });
    if (allOver && std::ranges::all_of(names, isNote)) {
        for (const std::string& name : names) {
            m_folder.remove(name);
        }
    }
}

} // namespace ringside::cli
