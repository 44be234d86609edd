// SPDX-License-Identifier: Apache-2.0
#include "nvtx_range.h"

#include <cstdlib>
#include <mutex>

namespace ringside::nccl {
namespace {

constexpr std::array<const char*, 25> kRangeNames = {"ncclCommInitRank",
                                                     "ncclCommInitAll",
                                                     "ncclCommDestroy",
                                                     "ncclCommAbort",
                                                     "ncclAllGather",
                                                     "ncclAllReduce",
                                                     "ncclBroadcast",
                                                     "ncclReduceScatter",
                                                     "ncclReduce",
                                                     "ncclSend",
                                                     "ncclRecv",
                                                     "ncclCommInitRankConfig",
                                                     "ncclCommInitRankScalable",
                                                     "ncclCommSplit",
                                                     "ncclCommFinalize",
                                                     "ncclCommShrink",
                                                     "ncclAlltoAll",
                                                     "ncclGather",
                                                     "ncclScatter",
                                                     "ncclCommRevoke",
                                                     "ncclGroupStart",
                                                     "ncclGroupEnd",
                                                     "ncclGroupSimulateEnd",
                                                     "ncclMemAlloc",
                                                     "ncclMemFree"};

/// What was registered with the tool for a function, at its first use.
struct Registration {
    std::once_flag named;
    nvtxStringHandle_t name = nullptr;
    std::once_flag described;
};

Registration& registrationOf(NvtxFunction function)
{
    static std::array<Registration, kRangeNames.size()> registrations;
    return registrations[static_cast<std::size_t>(function)];
}

std::uint64_t schemaId(NvtxFunction function)
{
    return NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + static_cast<std::uint64_t>(function);
}

bool disabled()
{
    const char* text = std::getenv("NCCL_NVTX_DISABLE");
    return text != nullptr && std::strtoll(text, nullptr, 0) != 0;
}

/// Returns null without a tool.
nvtxDomainHandle_t createDomain()
{
    const nvtxDomainHandle_t created = disabled() ? nullptr : nvtxDomainCreateA("NCCL");
    if (created != nullptr)
        registerReductions(created);
    return created;
}

nvtxDomainHandle_t domain()
{
    static const nvtxDomainHandle_t handle = createDomain();
    return handle;
}

nvtxStringHandle_t nameOf(NvtxFunction function)
{
    Registration& registration = registrationOf(function);
    std::call_once(registration.named, [&] {
        registration.name =
            nvtxDomainRegisterStringA(domain(), kRangeNames[static_cast<std::size_t>(function)]);
    });
    return registration.name;
}

void describe(NvtxFunction function, const NvtxSchema& schema)
{
    std::call_once(registrationOf(function).described, [&] {
        nvtxPayloadSchemaAttr_t attributes{};
        attributes.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                               NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                               NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                               NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
        attributes.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
        attributes.entries = schema.entries;
        attributes.numEntries = schema.count;
        attributes.payloadStaticSize = schema.bytes;
        attributes.schemaId = schemaId(function);
        nvtxPayloadSchemaRegister(domain(), &attributes);
    });
}

nvtxEventAttributes_t attributesOf(NvtxFunction function)
{
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nameOf(function);
    return attributes;
}

} // namespace

NvtxRange::NvtxRange(NvtxFunction function) : m_function(function)
{
    if (!listening())
        return;
    const nvtxEventAttributes_t attributes = attributesOf(function);
    nvtxDomainRangePushEx(domain(), &attributes);
    m_pushed = true;
}

bool NvtxRange::listening()
{
    return domain() != nullptr;
}

void NvtxRange::push(const NvtxSchema& schema, const void* payload)
{
    describe(m_function, schema);
    const nvtxPayloadData_t data{schemaId(m_function), schema.bytes, payload};
    nvtxEventAttributes_t attributes = attributesOf(m_function);
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = 1; // number of payloads
    attributes.payload.ullValue = reinterpret_cast<std::uintptr_t>(&data);
    nvtxDomainRangePushEx(domain(), &attributes);
    m_pushed = true;
}

void NvtxRange::setEnd(const NvtxSchema& schema)
{
    describe(m_function, schema);
    m_end = {schemaId(m_function), schema.bytes, m_payload.data()};
}

NvtxRange::~NvtxRange()
{
    if (!m_pushed)
        return;
    if (m_end.payload != nullptr)
        nvtxRangePopPayload(domain(), &m_end, 1);
    else
        nvtxDomainRangePop(domain());
}

} // namespace ringside::nccl
