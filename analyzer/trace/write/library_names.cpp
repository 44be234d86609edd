// SPDX-License-Identifier: Apache-2.0
#include "host/input_file.h"

#include <ringside/trace/library_names.h>

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace ringside::trace {
namespace {

constexpr std::size_t kMostSections = 4096;
constexpr std::uint64_t kMostBytes = 256U << 20U; ///< limit for a section; that of NCCL 2.28 has 0.2 MiB
constexpr std::size_t kBlockBytes = 256U << 10U;

/// Returns whether `count` bytes at `offset` could be read.
bool readAt(std::istream& file, std::uint64_t offset, void* into, std::size_t count)
{
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    return file.read(static_cast<char*>(into), static_cast<std::streamsize>(count)).good();
}

/// Returns all sections and the index of the section with their names, or null if the file is of another
/// format.
std::vector<Elf64_Shdr> sectionsOf(std::istream& file, std::size_t& nameSection)
{
    Elf64_Ehdr header{};
    if (!readAt(file, 0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > kMostSections ||
        header.e_shstrndx >= header.e_shnum) {
        return {};
    }
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    if (sections.empty() ||
        !readAt(file, header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr))) {
        return {};
    }
    nameSection = header.e_shstrndx;
    return sections;
}

bool isReadOnlyData(std::istream& file, const Elf64_Shdr& names, const Elf64_Shdr& section)
{
    std::array<char, 8> name{}; // ".rodata" with its terminator
    return section.sh_type == SHT_PROGBITS && section.sh_size <= kMostBytes &&
           readAt(file, names.sh_offset + section.sh_name, name.data(), name.size()) &&
           std::string_view(name.data(), name.size()) == std::string_view(".rodata\0", 8);
}

/// Removes from `missing` the names that the section contains. Returns false if it cannot be read.
bool findIn(std::istream& file, const Elf64_Shdr& section, std::set<std::string>& missing)
{
    std::size_t overlap = 0; // a name may extend across two blocks
    for (const std::string& name : missing) {
        overlap = std::max(overlap, name.size());
    }
    std::string bytes;
    for (std::uint64_t at = 0; at < section.sh_size; at += kBlockBytes) {
        bytes.resize(std::min<std::uint64_t>(section.sh_size - at, kBlockBytes + overlap));
        if (!readAt(file, section.sh_offset + at, bytes.data(), bytes.size())) {
            return false;
        }
        std::erase_if(missing, [&bytes](const std::string& name) {
            return bytes.find(std::string_view(name.c_str(), name.size() + 1)) != std::string::npos;
        });
    }
    return true;
}

} // namespace

std::optional<std::set<std::string>> namesMissingIn(const std::string& library,
                                                    const std::set<std::string>& names)
{
    host::InputFile file(library);
    std::size_t nameSection = 0;
    const std::vector<Elf64_Shdr> sections = sectionsOf(file, nameSection);
    std::set<std::string> missing = names;
    bool found = false;
    for (const Elf64_Shdr& section : sections) {
        if (isReadOnlyData(file, sections[nameSection], section)) {
            found = true;
            if (!findIn(file, section, missing)) {
                return std::nullopt;
            }
        }
    }
    return found ? std::optional(missing) : std::nullopt;
}

} // namespace ringside::trace
