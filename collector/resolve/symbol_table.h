// SPDX-License-Identifier: Apache-2.0
// The exported functions of a loaded object, read from its tables in memory.
#pragma once
#include <link.h>

#include <cstdint>

namespace ringside::collector {

class SymbolTable final {
public:
    explicit SymbolTable(const dl_phdr_info& object);
    /// The function's address. Null: the object does not export it.
    [[nodiscard]] void* function(const char* name) const;

private:
    void read(const ElfW(Dyn) & entry);
    [[nodiscard]] bool matches(std::uint32_t index, const char* name) const;
    [[nodiscard]] std::uint32_t findByGnuHash(const char* name) const;
    [[nodiscard]] std::uint32_t findByHash(const char* name) const;
    [[nodiscard]] const void* address(ElfW(Addr) value) const;

    ElfW(Addr) m_base;
    const ElfW(Sym) * m_symbols = nullptr;
    const char* m_names = nullptr;
    const ElfW(Half) * m_versions = nullptr;
    const std::uint32_t* m_gnuHash = nullptr;
    const std::uint32_t* m_hash = nullptr;
};

} // namespace ringside::collector
