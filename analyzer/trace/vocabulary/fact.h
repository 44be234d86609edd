// SPDX-License-Identifier: Apache-2.0
// What is recorded once of processes, machines, GPUs and libraries. facts.def is the list; facts of ports are
// in port_fact.h.
#pragma once
#include "trace/vocabulary/setting_source.h"

#include <array>
#include <string>
#include <string_view>

namespace ringside::trace {

struct FactEntry {
    std::string_view source; ///< as in table `setting`
    std::string_view name;   ///< `*` stands for what the fact is of
    std::string_view description;
};
inline constexpr std::array kFacts{
#define RINGSIDE_FACT(source, name, description) FactEntry{source, name, description},
#include "trace/vocabulary/facts.def"
};

/// The compiler names this function, which is never called, where a fact is not in the list.
void theFactIsNotInTheList();

/// A fact of the list, as {"machine", "shm_bytes"}. One that is not listed does not compile.
class Fact {
public:
    consteval Fact(const char* source, const char* name) : m_entry(listed(source, name)) {}

    [[nodiscard]] SettingSource source() const { return SettingSource::stored(std::string(m_entry.source)); }
    /// Returns the name with `of` in place of `*`: "gpu0_numa_node" of "gpu0".
    [[nodiscard]] std::string name(std::string_view of = {}) const
    {
        std::string name(m_entry.name);
        const std::size_t star = name.find('*');
        return star == std::string::npos ? name : name.replace(star, 1, of);
    }

private:
    static consteval FactEntry listed(std::string_view source, std::string_view name)
    {
        for (const FactEntry& entry : kFacts) {
            if (entry.source == source && entry.name == name) {
                return entry;
            }
        }
        theFactIsNotInTheList();
        return {};
    }

    FactEntry m_entry;
};

} // namespace ringside::trace
