// SPDX-License-Identifier: Apache-2.0
// What is known of a host before a run: names and values, as the kernel and the libraries say them. A fact
// that could not be read is not there, so that no check takes "unknown" for "wrong" and two hosts can be
// compared line by line.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::doctor {

/// By name, in parts from the general to the special: "interface.eth0.speed_mbps".
class Facts {
public:
    void set(std::string name, std::string value);
    [[nodiscard]] const std::string* find(std::string_view name) const;
    [[nodiscard]] std::string_view text(std::string_view name) const; ///< empty: not known
    /// Nothing where it is not known or no whole number.
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
    /// The distinct parts that follow `prefix`, up to the next dot: of "interface.", the interfaces.
    [[nodiscard]] std::vector<std::string> namesAfter(std::string_view prefix) const;
    [[nodiscard]] const std::map<std::string, std::string, std::less<>>& all() const { return m_values; }

private:
    std::map<std::string, std::string, std::less<>> m_values;
};

struct Host {
    std::string name;
    Facts facts;
};

/// The files of a machine: those of this one, or a copy of another's /proc, /sys, /etc and /dev in a folder.
class Root {
public:
    explicit Root(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    /// Whether this is the machine that we run on; else only its files are known.
    [[nodiscard]] bool live() const { return m_folder == "/"; }
    [[nodiscard]] std::filesystem::path path(std::string_view absolute) const;
    /// The first line without the blanks around it; nothing where it cannot be read.
    [[nodiscard]] std::optional<std::string> line(std::string_view file) const;
    [[nodiscard]] std::vector<std::string> lines(std::string_view file) const; ///< at most 10,000
    [[nodiscard]] std::vector<std::string>
    entries(std::string_view folder) const; ///< sorted names, at most 4,096

private:
    std::filesystem::path m_folder;
};

/// Everything that every gatherer finds.
[[nodiscard]] Host gather(const Root& root);

} // namespace ringside::doctor
