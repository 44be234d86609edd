// SPDX-License-Identifier: Apache-2.0
#include "nvtx/names.h"

#include "record/glibc.h"

#include <mutex>

namespace ringside::collector::nvtx {
namespace {

// Handles that other tools created, and the collector's names for them.
struct Handles {
    std::mutex mutex;
    std::atomic<bool> used{false};
    HandleTable<Name*, 1 << 14> names;
};
constinit Handles g_handles;

// A forked child must not inherit the lock from a thread that does not exist in it.
__attribute__((constructor)) void keepLockThroughForks()
{
    atFork([] { g_handles.mutex.lock(); }, [] { g_handles.mutex.unlock(); },
           [] { g_handles.mutex.unlock(); });
}

std::uint64_t nextSchemaId()
{
    static constinit std::atomic<std::uint64_t> next{kFirstDynamicSchema};
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t keyOf(const void* handle)
{
    return reinterpret_cast<std::uintptr_t>(handle);
}

} // namespace

Name::Name(std::string_view theText)
    : text(theText)
    , step(stepSourceOf(theText))
    , nccl(ncclFunctionOf(theText))
    , ncclSchemas(theText == "NCCL" ? std::make_unique<Schemas>() : nullptr)
{}

Name* makeName(std::string_view text)
{
    return new Name(text);
}

Handle makeHandle(std::string_view text)
{
    Name* const name = makeName(text);
    const std::scoped_lock lock(g_handles.mutex);
    if (g_handles.used) {
        g_handles.names.set(keyOf(name), name);
    }
    return name;
}

void expectOtherHandles()
{
    g_handles.used.store(true, std::memory_order_release);
}

Handle adoptHandle(Handle theirs, std::string_view text)
{
    const std::scoped_lock lock(g_handles.mutex);
    const Name* const known = g_handles.names.find(keyOf(theirs));
    if (theirs != nullptr && (known == nullptr || known->text != text)) {
        g_handles.names.set(keyOf(theirs), new Name(text));
    }
    return theirs;
}

Name* nameOf(const void* handle)
{
    if (!g_handles.used.load(std::memory_order_acquire)) {
        return static_cast<Name*>(const_cast<void*>(handle));
    }
    return g_handles.names.find(keyOf(handle));
}

std::uint64_t registerSchema(Name* domain, const SchemaAttributes& schema,
                             const std::optional<std::uint64_t>& theirs)
{
    const std::uint64_t id = (schema.fieldMask & kSchemaHasId) != 0 ? schema.schemaId
                             : theirs                               ? *theirs
                                                                    : nextSchemaId();
    if (domain != nullptr && domain->ncclSchemas != nullptr) {
        const std::scoped_lock lock(g_handles.mutex);
        domain->ncclSchemas->add(schema, id);
    }
    return theirs.value_or(id);
}

std::uint64_t registerEnum(Name* domain, const EnumAttributes& enumeration,
                           const std::optional<std::uint64_t>& theirs)
{
    const std::uint64_t id = (enumeration.fieldMask & kEnumHasId) != 0 ? enumeration.schemaId
                             : theirs                                  ? *theirs
                                                                       : nextSchemaId();
    if (domain != nullptr && domain->ncclSchemas != nullptr) {
        const std::scoped_lock lock(g_handles.mutex);
        domain->ncclSchemas->addEnum(enumeration, id);
    }
    return theirs.value_or(id);
}

bool isOurHandle(const void* handle)
{
    return handle != nullptr && nameOf(handle) == handle;
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
