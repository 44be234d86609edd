// SPDX-License-Identifier: Apache-2.0
// An NVTX tool that writes the domains, strings, schemas and ranges it gets into the file named by
// RINGSIDE_TEST_NVTX_LOG, one line each. It implements the protocol independently, so that it checks the
// client's side. Without RINGSIDE_TEST_NVTX_EXTENSION=1 it refuses the payload extension, like older tools.
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <sstream>

namespace {

// The core protocol: tables of slots by module, see the header's nvtxDetail/nvtxTypes.h.
using Function = void (*)();
struct CallbackTable {
    std::size_t size;
    int (*moduleFunctionTable)(int module, Function*** table, unsigned* count);
};
constexpr int kModuleCore2 = 5;
// The extension's: nvtxDetail/nvtxExtTypes.h.
struct Segment {
    std::size_t id;
    std::size_t slotCount;
    std::intptr_t* slots;
};
struct Module {
    std::uint16_t nvtxVersion;
    std::uint16_t structSize;
    std::uint16_t moduleId;
    std::uint16_t compatibilityId;
    std::size_t segmentCount;
    Segment* segments;
    std::intptr_t (*exportFunction)(std::uint32_t);
    const void* information;
};
struct TypeInformation {
    std::uint16_t size;
    std::uint16_t alignment;
};

/// One line, in one write.
void note(const std::ostringstream& line)
{
    const std::string text = line.str() + "\n";
    const char* path = std::getenv("RINGSIDE_TEST_NVTX_LOG");
    const int file = ::open(path == nullptr ? "" : path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        std::abort();
    ::close(file);
}

const char* text(const char* string)
{
    return string == nullptr ? "-" : string;
}

void append(std::ostream& line, const nvtxPayloadData_t& data)
{
    line << " schema=" << data.schemaId << " bytes=" << data.size << " payload=";
    const auto* bytes = static_cast<const unsigned char*>(data.payload);
    for (std::size_t i = 0; i < data.size; ++i)
        line << std::hex << std::setw(2) << std::setfill('0') << int{bytes[i]};
    line << std::dec;
}

/// Handles are copies of the names, so that events can be written by name.
nvtxDomainHandle_t createDomain(const char* name)
{
    std::ostringstream line;
    line << "domain " << text(name);
    note(line);
    return reinterpret_cast<nvtxDomainHandle_t>(::strdup(text(name)));
}

nvtxStringHandle_t registerString(nvtxDomainHandle_t domain, const char* name)
{
    std::ostringstream line;
    line << "string " << reinterpret_cast<const char*>(domain) << " " << text(name);
    note(line);
    return reinterpret_cast<nvtxStringHandle_t>(::strdup(text(name)));
}

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event)
{
    std::ostringstream line;
    line << "push " << reinterpret_cast<const char*>(domain) << " "
         << reinterpret_cast<const char*>(event->message.registered);
    if (event->payloadType == NVTX_PAYLOAD_TYPE_EXT)
        for (int i = 0; i < event->reserved0; ++i)
            append(line, reinterpret_cast<const nvtxPayloadData_t*>(event->payload.ullValue)[i]);
    note(line);
    return 0;
}

int pop(nvtxDomainHandle_t domain)
{
    std::ostringstream line;
    line << "pop " << reinterpret_cast<const char*>(domain);
    note(line);
    return 0;
}

std::uint64_t registerSchema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* schema)
{
    std::ostringstream line;
    line << "schema " << reinterpret_cast<const char*>(domain) << " id=" << schema->schemaId
         << " mask=" << schema->fieldMask << " type=" << schema->type
         << " bytes=" << schema->payloadStaticSize;
    for (std::size_t i = 0; i < schema->numEntries; ++i)
        line << " | " << schema->entries[i].type << " @" << schema->entries[i].offset << " "
             << schema->entries[i].name;
    note(line);
    return schema->schemaId;
}

std::uint64_t registerEnum(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* enumeration)
{
    std::ostringstream line;
    line << "enum " << reinterpret_cast<const char*>(domain) << " id=" << enumeration->schemaId
         << " mask=" << enumeration->fieldMask << " bytes=" << enumeration->sizeOfEnum;
    for (std::size_t i = 0; i < enumeration->numEntries; ++i)
        line << " " << enumeration->entries[i].name << "=" << enumeration->entries[i].value;
    note(line);
    return enumeration->schemaId;
}

int popPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, std::size_t count)
{
    std::ostringstream line;
    line << "pop " << reinterpret_cast<const char*>(domain);
    for (std::size_t i = 0; i < count; ++i)
        append(line, payloads[i]);
    note(line);
    return 0;
}

template <class F>
std::intptr_t slot(F* function)
{
    return reinterpret_cast<std::intptr_t>(function);
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void* (*exportTable)(std::uint32_t))
{
    const auto* callbacks = static_cast<const CallbackTable*>(exportTable(1));
    Function** table = nullptr;
    unsigned count = 0;
    if (callbacks->moduleFunctionTable(kModuleCore2, &table, &count) == 0 || count < 13)
        return 0;
    *table[4] = reinterpret_cast<Function>(&push);
    *table[5] = reinterpret_cast<Function>(&pop);
    *table[10] = reinterpret_cast<Function>(&registerString);
    *table[12] = reinterpret_cast<Function>(&createDomain);
    return 1;
}

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(Module* module)
{
    const char* wanted = std::getenv("RINGSIDE_TEST_NVTX_EXTENSION");
    if (wanted == nullptr || *wanted != '1' || module->moduleId != 2)
        return 0;
    const auto* types = static_cast<const TypeInformation*>(module->information);
    std::ostringstream line;
    line << "extension version=" << module->nvtxVersion << " size=" << module->structSize
         << " compatible=" << (module->compatibilityId >= 0x0103) << " types=" << types[0].size
         << " int=" << types[5].size << " uint64=" << types[18].size << " size_t=" << types[22].size;
    note(line);
    std::intptr_t* slots = module->segments[0].slots;
    slots[0] = slot(&registerSchema);
    slots[1] = slot(&registerEnum);
    slots[4] = slot(&popPayload);
    return 1;
}
