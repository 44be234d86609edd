// SPDX-License-Identifier: Apache-2.0
// Facts of a host before a run: names and values, as the kernel and the libraries report them. A fact that
// could not be read is absent, so that no check takes "unknown" for "wrong" and two hosts can be compared
// fact by fact.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::doctor {

/// Facts by name; the parts of a name go from general to special: "interface.eth0.speed_mbps".
class Facts {
public:
    void set(std::string name, std::string value);
    [[nodiscard]] const std::string* find(std::string_view name) const;
    [[nodiscard]] std::string_view text(std::string_view name) const; ///< empty: unknown
    /// Returns nothing if the fact is unknown or not a whole number.
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
    /// Returns the distinct name parts between `prefix` and the next dot: for "interface.", the interfaces.
    [[nodiscard]] std::vector<std::string> namesAfter(std::string_view prefix) const;
    [[nodiscard]] const std::map<std::string, std::string, std::less<>>& all() const { return m_values; }

private:
    std::map<std::string, std::string, std::less<>> m_values;
};

struct Host {
    std::string name;
    Facts facts;
};

/// The files of a machine: of this one, or of a folder with a copy of another one's /proc, /sys, /etc and
/// /dev.
class Root {
public:
    explicit Root(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    /// Returns whether this is the running machine; of another machine, only its files are known.
    [[nodiscard]] bool live() const { return m_folder == "/"; }
    [[nodiscard]] std::filesystem::path path(std::string_view absolute) const;
    /// Returns the first line without surrounding blanks, or nothing if it cannot be read.
    [[nodiscard]] std::optional<std::string> line(std::string_view file) const;
    [[nodiscard]] std::vector<std::string> lines(std::string_view file) const; ///< at most 10,000
    [[nodiscard]] std::vector<std::string>
    entries(std::string_view folder) const; ///< sorted names, at most 4,096

private:
    std::filesystem::path m_folder;
};

/// Returns the facts of all gatherers.
[[nodiscard]] Host gather(const Root& root);

} // namespace ringside::doctor
