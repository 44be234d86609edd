// SPDX-License-Identifier: Apache-2.0
#include "support/nsys_export.h"

#include <cstring>
#include <span>
#include <vector>

namespace ringside::test {
namespace {

constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kSchema = 16777223;

/// All fields of all of NCCL's payloads, in one schema: its place, its type (of NVTX), its name.
struct Field {
    std::size_t offset;
    std::size_t width;
    int type;
    const char* name;
};
constexpr std::array kFields{Field{0, 8, 18, "NCCL communicator ID"},
                             Field{8, 8, 22, "Message size [bytes]"},
                             Field{16, 4, 5, "Peer rank"},
                             Field{20, 4, 5, "No. of ranks"},
                             Field{24, 4, 5, "Rank"},
                             Field{28, 4, 5, "CUDA device"}};
constexpr std::size_t kPayloadBytes = 32;

std::vector<std::optional<std::uint64_t>> valuesOf(const NsysPayload& payload)
{
    const auto number = [](const std::optional<std::int32_t>& value) {
        return value ? std::optional<std::uint64_t>(static_cast<std::uint32_t>(*value)) : std::nullopt;
    };
    return {payload.communicator,  payload.bytes,        number(payload.peer),
            number(payload.ranks), number(payload.rank), number(payload.device)};
}

std::string jsonOf(const NsysPayload& payload)
{
    std::string text;
    const auto values = valuesOf(payload);
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (values[i]) {
            text += (text.empty() ? "\"" : ", \"") + std::string(kFields[i].name) +
                    "\": " + std::to_string(*values[i]);
        }
    }
    return "{" + text + "}";
}

/// A field that is not given is there all the same, as all ones: no rank, no size.
std::string blobOf(const NsysPayload& payload)
{
    constexpr std::size_t kHeaderBytes = 32;
    std::string blob(kHeaderBytes + kPayloadBytes, '\0');
    const auto put = [&](std::size_t at, std::uint64_t value, std::size_t width) {
        std::memcpy(blob.data() + at, &value, width);
    };
    put(0, NsysExport::kNcclDomain, 4);
    put(8, kSchema, 4);
    put(16, kPayloadBytes, 8);
    put(24, kHeaderBytes + kPayloadBytes, 8);
    const auto values = valuesOf(payload);
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        put(kHeaderBytes + kFields[i].offset, values[i].value_or(~std::uint64_t{0}), kFields[i].width);
    }
    return blob;
}

} // namespace

NsysExport::NsysExport(const std::filesystem::path& path, NsysForm form, bool blobs)
    : m_database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), m_form(form), m_blobs(blobs)
{
    execute("PRAGMA page_size = 512; PRAGMA synchronous = OFF");
    makeTables();
}

std::int64_t NsysExport::globalPid(std::int64_t pid)
{
    constexpr std::int64_t kMachine = 1; // a virtual machine: bits 48 to 55
    return kMachine << 48 | pid << 24;
}

NsysExport& NsysExport::execute(const std::string& sql)
{
    m_database.execute(sql);
    return *this;
}

template <class... Values>
void NsysExport::insert(const std::string& into, const Values&... values)
{
    std::string marks;
    ((marks += marks.empty() ? "?" : ",?", static_cast<void>(values)), ...);
    trace::Statement statement(m_database, "INSERT INTO " + into + " VALUES (" + marks + ")");
    int index = 0;
    (statement.bind(++index, values), ...);
    statement.run();
}

void NsysExport::makeTables()
{
    const bool legacy = m_form == NsysForm::Legacy;
    const bool newest = m_form == NsysForm::V330;
    const std::string type = legacy ? " INT NOT NULL" : " INTEGER";
    const auto table = [&](const std::string& name, const std::string& columns,
                           const std::string& more = "") {
        std::string list;
        for (std::size_t at = 0; at < columns.size();) {
            const std::size_t end = std::min(columns.find(' ', at), columns.size());
            list += (list.empty() ? "" : ", ") + ("\"" + columns.substr(at, end - at) + "\"") + type;
            at = end + 1;
        }
        execute("CREATE TABLE " + name + " (" + list + more + ")");
    };
    const std::string meta = legacy ? "EXPORT_META_DATA" : "META_DATA_EXPORT";
    execute("CREATE TABLE " + meta + " (name TEXT, value TEXT)");
    execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
    constexpr const char* kVersions[] = {"2.7.1", "3.13.0", "3.25.0", "3.30.1"};
    insert(meta, "EXPORT_SCHEMA_VERSION", kVersions[static_cast<std::size_t>(m_form)]);
    if (!legacy) {
        insert(meta, "EXPORT_PARAM_INCLUDE_BLOBS", m_blobs ? "true" : "false");
        insert(meta, "EXPORT_PARAM_INCLUDE_JSON", m_blobs ? "true" : "false");
    }
    table("CUPTI_ACTIVITY_KIND_KERNEL",
          "start end deviceId contextId streamId correlationId globalPid demangledName shortName",
          legacy
              ? ""
              : ", graphNodeId INTEGER" + std::string(newest ? ", graphId INTEGER, clusterX INTEGER" : ""));
    table("CUPTI_ACTIVITY_KIND_MEMCPY",
          "start end deviceId contextId streamId correlationId globalPid bytes copyKind srcKind dstKind",
          legacy ? "" : ", graphNodeId INTEGER");
    table("CUPTI_ACTIVITY_KIND_MEMSET",
          "start end deviceId contextId streamId correlationId globalPid bytes");
    table("CUPTI_ACTIVITY_KIND_RUNTIME", "start end eventClass globalTid correlationId nameId returnValue");
    execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid "
            "INTEGER,"
            " textId INTEGER, domainId INTEGER" +
            std::string(legacy ? "" : ", jsonTextId INTEGER, jsonText TEXT") +
            (m_form >= NsysForm::V325 ? ", binaryData BLOB" : "") + ")");
    execute("CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)");
    if (!legacy) {
        makeSchemas();
    }
}

void NsysExport::makeSchemas()
{
    execute("CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT)");
    execute("CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER,"
            " type INTEGER, name TEXT, offset INTEGER)");
    for (int repeated = 0; repeated < 2; ++repeated) { // once a process
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            const Field& field = kFields[i];
            insert("NVTX_PAYLOAD_SCHEMA_ENTRIES", kNcclDomain, kSchema, i, field.type, field.name,
                   i == 0 ? std::optional<std::int64_t>()
                          : std::optional(static_cast<std::int64_t>(field.offset)));
        }
    }
}

std::int64_t NsysExport::stringId(const std::string& text)
{
    const auto [entry, fresh] = m_strings.try_emplace(text, static_cast<std::int64_t>(m_strings.size()) + 10);
    if (fresh) {
        insert("StringIds", entry->second, text);
    }
    return entry->second;
}

NsysExport& NsysExport::process(std::int64_t pid, const std::string& name)
{
    insert("PROCESSES", globalPid(pid), pid, name);
    return *this;
}

NsysExport& NsysExport::kernel(const std::string& name, std::int64_t correlation, std::int64_t start,
                               std::int64_t end, std::int64_t pid, std::int64_t device, std::int64_t stream)
{
    const std::int64_t id = stringId(name);
    insert("CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,"
           " demangledName, shortName)",
           start, end, device, 1, stream, correlation, globalPid(pid), id, id);
    return *this;
}

NsysExport& NsysExport::copy(std::int64_t bytes, std::int64_t correlation, std::int64_t start,
                             std::int64_t end, std::int64_t pid)
{
    insert("CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid,"
           " bytes, copyKind, srcKind, dstKind)",
           start, end, 0, 1, 9, correlation, globalPid(pid), bytes, 1, 0, 2); // pageable to device
    return *this;
}

NsysExport& NsysExport::set(std::int64_t bytes, std::int64_t correlation, std::int64_t start,
                            std::int64_t end)
{
    insert("CUPTI_ACTIVITY_KIND_MEMSET", start, end, 0, 1, 9, correlation, globalPid(kPid), bytes);
    return *this;
}

NsysExport& NsysExport::call(const std::string& name, std::int64_t correlation, std::int64_t start,
                             std::int64_t end, std::int64_t pid)
{
    insert("CUPTI_ACTIVITY_KIND_RUNTIME", start, end, 0, globalPid(pid) | pid, correlation, stringId(name),
           0);
    return *this;
}

void NsysExport::addRange(std::string_view name, std::int64_t start, std::int64_t end, std::int64_t pid,
                          std::int64_t domain, const NsysPayload& payload)
{
    const std::int64_t thread = globalPid(pid) | pid;
    const bool registered = domain == kNcclDomain; // as NCCL does
    insert("NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId)", start, end, kPushPop,
           registered ? std::optional<std::string>() : std::optional(std::string(name)), thread,
           registered ? std::optional(stringId(std::string(name))) : std::nullopt, domain);
    const bool given = payload.communicator || payload.bytes;
    if (!given || !m_blobs || m_form == NsysForm::Legacy) {
        return;
    }
    const bool json = m_form == NsysForm::V313;
    const std::string value = json ? jsonOf(payload) : blobOf(payload);
    trace::Statement update(m_database, std::string("UPDATE NVTX_EVENTS SET ") +
                                            (json ? "jsonText" : "binaryData") +
                                            " = ?1 WHERE rowid = last_insert_rowid()");
    if (json) {
        update.bind(1, value);
    } else {
        update.bindBlob(1, std::as_bytes(std::span(value)));
    }
    update.run();
}

NsysExport& NsysExport::range(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t pid)
{
    addRange(name, start, end, pid, 0, {});
    return *this;
}

NsysExport& NsysExport::ncclRange(const std::string& name, std::int64_t start, std::int64_t end,
                                  const NsysPayload& payload, std::int64_t pid)
{
    addRange(name, start, end, pid, kNcclDomain, payload);
    return *this;
}

NsysExport& NsysExport::collective(const std::string& function, const std::string& kernelName,
                                   std::int64_t correlation, std::int64_t start, std::int64_t end,
                                   const NsysPayload& payload, std::int64_t pid, std::int64_t device)
{
    constexpr std::int64_t kAhead = 100; // of the host before the device
    ncclRange(function, start - kAhead, start - kAhead / 2, payload, pid);
    call("cuLaunchKernelEx", correlation, start - kAhead + 10, start - kAhead + 20, pid);
    return kernel(kernelName, correlation, start, end, pid, device);
}

NsysExport& NsysExport::sessionStart(std::int64_t utcNs)
{
    execute("CREATE TABLE IF NOT EXISTS TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT)");
    insert("TARGET_INFO_SESSION_START_TIME", utcNs, "2026-05-26T07:58:50");
    return *this;
}

NsysExport& NsysExport::host(const std::string& name)
{
    execute("CREATE TABLE IF NOT EXISTS TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, name TEXT, value TEXT)");
    insert("TARGET_INFO_SYSTEM_ENV", globalPid(0), "Hostname", name);
    return *this;
}

NsysExport& NsysExport::captured(const std::string& name, const std::string& value)
{
    insert("META_DATA_CAPTURE", name, value);
    return *this;
}

} // namespace ringside::test
