// SPDX-License-Identifier: Apache-2.0
#include "nvtx/names.h"

namespace ringside::collector::nvtx {

Name* makeName(std::string_view text)
{
    auto* name = new Name;
    name->text = text;
    name->step = stepSourceOf(text);
    return name;
}

StringId idOf(Name* name)
{
    if (name == nullptr) {
        return 0;
    }
    StringId id = name->id.load(std::memory_order_acquire);
    if (id == 0) {
        id = registry().intern(name->text);
        name->id.store(id, std::memory_order_release);
    }
    return id;
}

std::string toUtf8(const wchar_t* text)
{
    std::string result;
    for (; text != nullptr && *text != 0; ++text) {
        const auto code = static_cast<char32_t>(*text);
        const auto put = [&result](std::uint32_t byte) {
            result += static_cast<char>(static_cast<unsigned char>(byte));
        };
        if (code < 0x80) {
            put(code);
        } else if (code < 0x800) {
            put(0xC0 | code >> 6);
            put(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            put(0xE0 | code >> 12);
            put(0x80 | (code >> 6 & 0x3F));
            put(0x80 | (code & 0x3F));
        } else {
            put(0xF0 | (code >> 18 & 0x7));
            put(0x80 | (code >> 12 & 0x3F));
            put(0x80 | (code >> 6 & 0x3F));
            put(0x80 | (code & 0x3F));
        }
    }
    return result;
}

} // namespace ringside::collector::nvtx
