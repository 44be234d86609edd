// SPDX-License-Identifier: Apache-2.0
#include "resolve/symbol_table.h"

#include <cstring>

namespace ringside::collector {
namespace {

constexpr std::uint32_t kNoSymbol = 0; // the first entry of every table is unused

// The hash functions of ELF's two symbol tables: System V's and GNU's.
std::uint32_t hashOf(const char* name)
{
    std::uint32_t hash = 0;
    for (; *name != '\0'; ++name) {
        hash = (hash << 4) + static_cast<unsigned char>(*name);
        const std::uint32_t high = hash & 0xF0000000U;
        hash = (hash ^ (high >> 24)) & ~high;
    }
    return hash;
}

std::uint32_t gnuHashOf(const char* name)
{
    std::uint32_t hash = 5381;
    for (; *name != '\0'; ++name) {
        hash = hash * 33 + static_cast<unsigned char>(*name);
    }
    return hash;
}

} // namespace

SymbolTable::SymbolTable(const dl_phdr_info& object) : m_base(object.dlpi_addr)
{
    for (int each = 0; each < object.dlpi_phnum; ++each) {
        if (object.dlpi_phdr[each].p_type != PT_DYNAMIC) {
            continue;
        }
        const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(m_base + object.dlpi_phdr[each].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            read(*entry);
        }
    }
}

void SymbolTable::read(const ElfW(Dyn) & entry)
{
    const void* const table = address(entry.d_un.d_ptr);
    switch (entry.d_tag) {
    case DT_SYMTAB:
        m_symbols = static_cast<const ElfW(Sym)*>(table);
        break;
    case DT_STRTAB:
        m_names = static_cast<const char*>(table);
        break;
    case DT_VERSYM:
        m_versions = static_cast<const ElfW(Half)*>(table);
        break;
    case DT_GNU_HASH:
        m_gnuHash = static_cast<const std::uint32_t*>(table);
        break;
    case DT_HASH:
        m_hash = static_cast<const std::uint32_t*>(table);
        break;
    default:
        break;
    }
}

// The loader replaces the file's offsets by addresses, except where the table is read-only.
const void* SymbolTable::address(ElfW(Addr) value) const
{
    return reinterpret_cast<const void*>(value < m_base ? m_base + value : value);
}

void* SymbolTable::function(const char* name) const
{
    if (m_symbols == nullptr || m_names == nullptr) {
        return nullptr;
    }
    const std::uint32_t index = m_gnuHash != nullptr ? findByGnuHash(name)
                                : m_hash != nullptr  ? findByHash(name)
                                                     : kNoSymbol;
    return index != kNoSymbol ? reinterpret_cast<void*>(m_base + m_symbols[index].st_value) : nullptr;
}

bool SymbolTable::matches(std::uint32_t index, const char* name) const
{
    // an older version, kept for programs that were linked to it
    constexpr ElfW(Half) kHiddenVersion = 0x8000;
    const ElfW(Sym)& symbol = m_symbols[index];
    return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
           ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
           (m_versions == nullptr || (m_versions[index] & kHiddenVersion) == 0) &&
           std::strcmp(m_names + symbol.st_name, name) == 0;
}

// The table has buckets of chains. The last entry of a chain has its lowest bit set. The Bloom filter
// before them is skipped.
std::uint32_t SymbolTable::findByGnuHash(const char* name) const
{
    const std::uint32_t buckets = m_gnuHash[0];
    const std::uint32_t firstHashed = m_gnuHash[1];
    const std::uint32_t filterWords = m_gnuHash[2];
    constexpr std::uint32_t kHeader = 4;
    const std::uint32_t* const bucket = m_gnuHash + kHeader + filterWords * (sizeof(ElfW(Addr)) / 4);
    const std::uint32_t* const chain = bucket + buckets;
    const std::uint32_t hash = gnuHashOf(name);
    std::uint32_t index = buckets != 0 ? bucket[hash % buckets] : kNoSymbol;
    if (index < firstHashed) {
        return kNoSymbol;
    }
    for (;; ++index) {
        const std::uint32_t each = chain[index - firstHashed];
        if ((each | 1) == (hash | 1) && matches(index, name)) {
            return index;
        }
        if ((each & 1) != 0) {
            return kNoSymbol;
        }
    }
}

std::uint32_t SymbolTable::findByHash(const char* name) const
{
    const std::uint32_t buckets = m_hash[0];
    const std::uint32_t* const bucket = m_hash + 2;
    const std::uint32_t* const chain = bucket + buckets;
    std::uint32_t index = buckets != 0 ? bucket[hashOf(name) % buckets] : kNoSymbol;
    while (index != kNoSymbol && !matches(index, name)) {
        index = chain[index];
    }
    return index;
}

} // namespace ringside::collector
