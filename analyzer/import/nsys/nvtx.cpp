// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/nvtx.h"

#include "import/nsys/global_id.h"
#include "import/nsys/scan.h"
#include "import/text.h"
#include "model/collective_match.h"

#include <ringside/trace/ring.h>

#include <algorithm>
#include <array>

namespace ringside::importers::nsys {
namespace {

/// Values of ENUM_NSYS_EVENT_TYPE; they are the same in all versions.
enum EventType : std::int64_t {
    kCategory = 33,
    kMark = 34,
    kThreadName = 39,
    kPushPop = 59,
    kStartEnd = 60,
    kDomainCreate = 75,
    kDomainDestroy = 76
};
enum Column : int { RangeStart, RangeEnd, Type, Category, Text, TextId, Thread, Domain, Blob, Json, JsonId };
const std::vector<std::string_view> kColumns{"start",      "end",      "eventType", "category",
                                             "text",       "textId",   "globalTid", "domainId",
                                             "binaryData", "jsonText", "jsonTextId"};

/// Whether it is an NCCL call that moves data, begins or ends a group, or creates a communicator.
bool isNcclCall(std::string_view name)
{
    constexpr std::array<std::string_view, 3> kOthers{"ncclGroup", "ncclCommInit", "ncclCommSplit"};
    return name.starts_with("nccl") &&
           (model::collectiveKind(name) != model::CollectiveKind::Other ||
            std::ranges::any_of(kOthers, [&](std::string_view other) { return name.starts_with(other); }));
}

class Reader final {
public:
    Reader(ExportFile& file, Recording& recording) : m_file(file), m_recording(recording), m_schemas(file) {}

    void read()
    {
        for (Scan scan(m_file, "NVTX_EVENTS", kColumns); scan.next();) {
            readRow(scan);
        }
        for (auto& [key, process] : m_recording.processes) {
            finish(process);
        }
        if (m_others > 0) {
            m_recording.counts.leftOut += m_others;
            m_recording.counts.leftOutKinds.emplace_back("NVTX events of other kinds");
        }
    }

private:
    void readRow(const Scan& scan)
    {
        const auto thread = scan.integer(Thread);
        const std::int64_t type = scan.integer(Type).value_or(0);
        if (type == kDomainDestroy) {
            return; // contains nothing that is needed
        }
        const bool known = type == kCategory || type == kMark || type == kThreadName || type == kPushPop ||
                           type == kStartEnd || type == kDomainCreate;
        m_others += known ? 0 : 1;
        if (!thread) {
            m_recording.counts.incomplete += known ? 1 : 0;
            return;
        }
        ProcessRows* const process = known ? m_recording.processOf(*thread) : nullptr;
        if (process == nullptr) {
            return;
        }
        if (type == kDomainCreate) {
            process->domains.emplace(domainOf(scan), nameOf(scan));
        } else if (type == kCategory) {
            addCategory(scan, *process);
        } else if (type == kThreadName) {
            process->threadNames.emplace(tidOf(*thread), m_recording.names.text(nameOf(scan)));
        } else {
            addRange(scan, *process, type, tidOf(*thread));
        }
    }

    [[nodiscard]] static std::int64_t domainOf(const Scan& scan) { return scan.integer(Domain).value_or(0); }

    trace::StringId nameOf(const Scan& scan)
    {
        if (const std::string_view text = scan.text(Text); !text.empty()) {
            return m_recording.names.idOf(cleanText(withoutCounters(text)));
        }
        const auto id = scan.integer(TextId);
        if (!id) {
            return 0; // NVTX allows it
        }
        const trace::StringId name = m_recording.nameOf(id);
        const auto [plain, fresh] = m_plainNames.try_emplace(name, 0);
        if (fresh) {
            plain->second = m_recording.names.idOf(withoutCounters(m_recording.names.text(name)));
        }
        return plain->second;
    }

    void addCategory(const Scan& scan, ProcessRows& process)
    {
        trace::CategoryRow row;
        row.domain = domainPlace(domainOf(scan));
        row.category = scan.integer(Category).value_or(0);
        row.name = nameOf(scan);
        process.trace.categories.push_back(row);
    }

    void addRange(const Scan& scan, ProcessRows& process, std::int64_t type, std::uint32_t tid)
    {
        trace::RangeRow row;
        const auto end = type == kMark ? scan.integer(RangeStart) : scan.integer(RangeEnd);
        if (!end && scan.integer(RangeStart)) {
            ++m_recording.counts.openRanges;
            return;
        }
        if (!m_recording.readTimes(scan.integer(RangeStart), end, row.startNs, row.endNs)) {
            return;
        }
        row.name = nameOf(scan);
        row.domain = domainPlace(domainOf(scan));
        row.category = scan.integer(Category).value_or(0);
        row.thread = tid;
        using Flavour = trace::RangeFlavour;
        row.flavour = static_cast<std::int64_t>(type == kMark       ? Flavour::Mark
                                                : type == kStartEnd ? Flavour::StartEnd
                                                                    : Flavour::PushPop);
        if (type == kPushPop && isNccl(row.name)) {
            m_ncclRows[&process].push_back(process.trace.ranges.size());
            process.nccl.push_back({row.startNs, row.endNs, row.name, tid, payloadOf(scan)});
        }
        process.trace.ranges.push_back(row);
    }

    bool isNccl(trace::StringId name)
    {
        const auto [entry, fresh] = m_isNccl.try_emplace(name, false);
        if (fresh) {
            entry->second = isNcclCall(m_recording.names.text(name));
        }
        return entry->second;
    }

    Payload payloadOf(const Scan& scan)
    {
        std::string_view json = scan.text(Json);
        if (json.empty()) {
            const auto id = scan.integer(JsonId);
            const auto known = id ? m_recording.strings.find(*id) : m_recording.strings.end();
            json = known != m_recording.strings.end() ? m_recording.names.text(known->second) : json;
        }
        const auto blob = scan.bytes(Blob);
        if (json.empty() && blob.empty()) {
            return {};
        }
        auto payload = payloadOfJson(json);
        payload = payload ? payload : m_schemas.decode(blob);
        m_recording.counts.badPayloads += payload ? 0 : 1;
        return payload.value_or(Payload());
    }

    /// Returns the index of a domain in m_domains. Rows store it until finish(), because the name of a domain
    /// may follow after its ranges.
    trace::StringId domainPlace(std::int64_t domain)
    {
        const auto [entry, fresh] =
            m_domainPlaces.try_emplace(domain, static_cast<trace::StringId>(m_domains.size()));
        if (fresh) {
            m_domains.push_back(domain);
        }
        return entry->second;
    }

    void finish(ProcessRows& process)
    {
        std::vector<trace::StringId> names(m_domains.size());
        for (std::size_t place = 0; place < names.size(); ++place) {
            const auto known = process.domains.find(m_domains[place]);
            names[place] = known != process.domains.end() ? known->second : 0;
        }
        removeForeignNccl(process, names);
        for (trace::RangeRow& row : process.trace.ranges) {
            row.domain = names[row.domain];
        }
        for (trace::CategoryRow& row : process.trace.categories) {
            row.domain = names[row.domain];
        }
    }

    /// Separates NCCL's calls from the program's ranges. NCCL's calls are removed from the ranges, and ranges
    /// of the program that only have such names are removed from the calls. NCCL has a domain of its own, but
    /// an export may lack the domain's name.
    void removeForeignNccl(ProcessRows& process, const std::vector<trace::StringId>& domainNames)
    {
        const std::vector<std::size_t>& rows = m_ncclRows[&process];
        std::vector<trace::RangeRow>& ranges = process.trace.ranges;
        std::vector<bool> isCall(ranges.size(), false);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const trace::StringId place = ranges[rows[i]].domain;
            const std::string_view domain = m_recording.names.text(domainNames[place]);
            isCall[rows[i]] = m_domains[place] != 0 && (domain.empty() || domain == "NCCL");
            if (isCall[rows[i]]) {
                process.nccl[kept++] = process.nccl[i];
            }
        }
        process.nccl.resize(kept);
        std::size_t to = 0;
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            if (!isCall[i]) {
                ranges[to++] = ranges[i];
            }
        }
        ranges.resize(to);
    }

    ExportFile& m_file;
    Recording& m_recording;
    PayloadSchemas m_schemas;
    std::unordered_map<trace::StringId, trace::StringId> m_plainNames;
    std::unordered_map<trace::StringId, bool> m_isNccl;
    std::map<const ProcessRows*, std::vector<std::size_t>> m_ncclRows; ///< indices of the ranges
    std::unordered_map<std::int64_t, trace::StringId> m_domainPlaces;
    std::vector<std::int64_t> m_domains;
    std::int64_t m_others = 0;
};

} // namespace

void readNvtx(ExportFile& file, Recording& recording)
{
    Reader(file, recording).read();
}

std::string_view withoutCounters(std::string_view name)
{
    for (const std::string_view counter : {", seq = ", ", op_id = "}) {
        const std::size_t at = name.find(counter);
        const std::size_t digit = at + counter.size();
        if (at != std::string_view::npos && digit < name.size() && name[digit] >= '0' && name[digit] <= '9') {
            name = name.substr(0, at);
        }
    }
    return name;
}

} // namespace ringside::importers::nsys
