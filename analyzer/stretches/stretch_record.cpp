// SPDX-License-Identifier: Apache-2.0
#include "stretches/stretch_record.h"

#include "words/catalogue.h"

#include <ringside/error.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ringside::stretches {
namespace {

template <class T>
inline constexpr bool kIsPlain = std::is_trivially_copyable_v<T> && !std::is_same_v<T, std::string_view>;

/// Appends values to bytes.
class Packer final {
public:
    template <class T>
    void operator()(const T& value)
    {
        static_assert(kIsPlain<T>);
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(T)); // NOLINT: its bytes
    }
    void operator()(const std::string& text)
    {
        (*this)(static_cast<std::uint64_t>(text.size()));
        m_bytes.append(text);
    }
    template <class T>
    void operator()(const std::vector<T>& values)
    {
        (*this)(static_cast<std::uint64_t>(values.size()));
        for (const T& value : values) {
            packValue(value);
        }
    }
    /// A template travels by its id.
    void operator()(const words::Text& text)
    {
        (*this)(static_cast<std::uint64_t>(text.parts().size()));
        for (const words::Part& part : text.parts()) {
            (*this)(part.words != nullptr ? std::string(part.words->id) : std::string());
            (*this)(static_cast<std::uint64_t>(part.filled.size()));
            for (const words::Slot& slot : part.filled) {
                (*this)(std::string(slot.name));
                (*this)(static_cast<std::uint64_t>(slot.value.index()));
                std::visit([this](const auto& value) { (*this)(value); }, slot.value);
            }
        }
    }
    std::string take() { return std::move(m_bytes); }

private:
    template <class T>
    void packValue(const T& value);

    std::string m_bytes;
};

/// Reads values from bytes in the same order.
class Unpacker final {
public:
    explicit Unpacker(std::string_view bytes) : m_rest(bytes) {}
    template <class T>
    void operator()(T& value)
    {
        static_assert(kIsPlain<T>);
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    }
    void operator()(std::string& text) { text = take(count(1)); }
    template <class T>
    void operator()(std::vector<T>& values)
    {
        values.clear();
        for (std::uint64_t left = count(1); left > 0; --left) {
            unpackValue(values.emplace_back());
        }
    }
    void operator()(words::Text& text)
    {
        std::vector<words::Part> parts;
        for (std::uint64_t left = count(1); left > 0; --left) {
            words::Part& part = parts.emplace_back();
            std::string id;
            (*this)(id);
            part.words = id.empty() ? nullptr : words::findTemplate(id);
            const std::string_view names = part.words != nullptr ? part.words->words : std::string_view();
            for (std::uint64_t slots = count(1); slots > 0; --slots) {
                part.filled.push_back(slotOf(names));
            }
            if (part.words == nullptr && (!id.empty() || part.filled.size() != 1)) {
                fail();
            }
        }
        text = words::Text(std::move(parts));
    }
    void finish() const
    {
        if (!m_rest.empty()) {
            fail();
        }
    }

private:
    [[noreturn]] static void fail()
    {
        throw Error(ErrorCode::Unusable, "a record of a stretch is damaged",
                    "Use the same version of Ringside on all hosts.");
    }
    std::string_view take(std::uint64_t bytes)
    {
        if (bytes > m_rest.size()) {
            fail();
        }
        const std::string_view taken = m_rest.substr(0, bytes);
        m_rest.remove_prefix(bytes);
        return taken;
    }
    /// Returns a number of elements, each of which takes at least `bytes`.
    std::uint64_t count(std::uint64_t bytes)
    {
        std::uint64_t number = 0;
        (*this)(number);
        return number <= m_rest.size() / bytes ? number : (fail(), 0);
    }
    template <class T>
    void unpackValue(T& value);

    template <class T>
    words::Value valueAs()
    {
        T value{};
        (*this)(value);
        return value;
    }
    /// A slot's name is kept as a part of its template, which lives as long as the program. A slot that the
    /// template does not use has no name then.
    words::Slot slotOf(std::string_view names)
    {
        std::string name;
        std::uint64_t kind = 0;
        (*this)(name), (*this)(kind);
        const std::size_t at = std::min(names.find(name), names.size());
        words::Slot slot(names.substr(at, name.size()), std::int64_t{0});
        switch (kind) {
        case 0:
            slot.value = valueAs<std::int64_t>();
            break;
        case 1:
            slot.value = valueAs<double>();
            break;
        case 2:
            slot.value = valueAs<std::string>();
            break;
        case 3:
            slot.value = valueAs<std::vector<std::int64_t>>();
            break;
        case 4:
            slot.value = valueAs<std::vector<std::string>>();
            break;
        case 5:
            slot.value = valueAs<words::Text>();
            break;
        default:
            fail();
        }
        return slot;
    }

    std::string_view m_rest;
};

/// Visits the members that make up a value, in one order for both directions.
template <class Archive, class Value>
void visitMembers(Archive& archive, Value& value)
{
    using T = std::remove_const_t<Value>;
    if constexpr (std::is_same_v<T, RankRecord>) {
        auto& of = value.metrics;
        archive(value.rank), archive(of.windows), archive(of.steps), archive(of.periods), archive(of.total);
        archive(of.idle), archive(of.blocking.count), archive(of.blocking.ns), archive(of.blocking.commonest);
        archive(of.blocking.longest), archive(of.blocking.overlapLostNs), archive(of.blocking.overlapLost);
        archive(of.lastArrivals), archive(of.stepLastArrivals), archive(of.lostNs);
        archive(of.communicationNs), archive(of.arrivedNs);
    } else if constexpr (std::is_same_v<T, metrics::GroupTimes>) {
        archive(value.transfer), archive(value.kernel);
    } else if constexpr (std::is_same_v<T, trace::IssueRow>) {
        archive(value.id), archive(value.severity), archive(value.count), archive(value.message);
    } else if constexpr (std::is_same_v<T, report::MissingRule>) {
        archive(value.rule), archive(value.reason), archive(value.inconclusive);
    } else if constexpr (std::is_same_v<T, rules::Figure>) {
        archive(value.name), archive(value.unit), archive(value.value), archive(value.threshold);
        archive(value.perPeriod);
    } else if constexpr (std::is_same_v<T, rules::Evidence>) {
        archive(value.rank), archive(value.startNs), archive(value.endNs), archive(value.what);
    } else {
        static_assert(std::is_same_v<T, rules::Finding>);
        archive(value.rule), archive(value.severity), archive(value.limit), archive(value.title);
        archive(value.ranks), archive(value.links), archive(value.settings), archive(value.costNsPerStep);
        archive(value.perSecond), archive(value.figures), archive(value.evidence), archive(value.advice);
        archive(value.doubt), archive(value.cause), archive(value.broken);
    }
}

/// partOf names rules, whose names live as long as the program.
void packNames(Packer& packer, const std::vector<std::string_view>& names)
{
    packer(std::vector<std::string>(names.begin(), names.end()));
}

void unpackNames(Unpacker& unpacker, std::vector<std::string_view>& names)
{
    std::vector<std::string> texts;
    unpacker(texts);
    for (const std::string& text : texts) {
        if (const rules::Rule* const rule = rules::findRule(text)) {
            names.push_back(rule->id);
        }
    }
}

template <class T>
void Packer::packValue(const T& value)
{
    if constexpr (std::is_same_v<T, std::string> || kIsPlain<T>) {
        (*this)(value);
    } else {
        visitMembers(*this, value);
    }
    if constexpr (std::is_same_v<T, rules::Finding>) {
        packNames(*this, value.partOf);
    }
}

template <class T>
void Unpacker::unpackValue(T& value)
{
    if constexpr (std::is_same_v<T, std::string> || kIsPlain<T>) {
        (*this)(value);
    } else {
        visitMembers(*this, value);
    }
    if constexpr (std::is_same_v<T, rules::Finding>) {
        unpackNames(*this, value.partOf);
    }
}

template <class Archive, class Record>
void visitRecord(Archive& archive, Record& record)
{
    archive(record.firstStep), archive(record.lastStep), archive(record.analyzedSteps);
    archive(record.coverage), archive(record.graphLaunches), archive(record.arrived), archive(record.stepNs);
    archive(record.ranks), archive(record.collectives), archive(record.collectiveTimes);
    archive(record.messages), archive(record.issues), archive(record.notApplicable);
    archive(record.findings), archive(record.estimates);
}

} // namespace

StretchRecord recordOf(const report::Draft& draft)
{
    const report::Report& report = draft.report;
    const model::Model& model = report.model;
    StretchRecord record;
    record.firstStep = model.stretch->first;
    record.lastStep = model.stretch->last;
    record.analyzedSteps = model.analyzedSteps;
    record.coverage = model.stepCoverage;
    record.graphLaunches = model.graphLaunches;
    record.arrived = report.metrics.waitsKnown();
    record.stepNs = report.metrics.stepNs();
    for (const metrics::RankMetrics& rank : report.metrics.ranks) {
        record.ranks.push_back({model.ranks[rank.rank].rank, rank});
        record.ranks.back().metrics.exposures = {};
    }
    record.collectives = report.metrics.collectives;
    record.collectiveTimes = report.metrics.collectiveTimes;
    record.messages = report.messages;
    record.issues = report.issues;
    record.notApplicable = report.notApplicable;
    record.findings = report.findings;
    record.estimates = draft.estimates;
    return record;
}

std::string pack(const StretchRecord& record)
{
    Packer packer;
    visitRecord(packer, record);
    return packer.take();
}

StretchRecord unpack(std::string_view bytes)
{
    Unpacker unpacker(bytes);
    StretchRecord record;
    visitRecord(unpacker, record);
    unpacker.finish();
    if (record.collectiveTimes.size() != record.collectives.size() ||
        record.estimates.size() != record.findings.size()) {
        throw Error(ErrorCode::Unusable, "a record of a stretch is damaged",
                    "Use the same version of Ringside on all hosts.");
    }
    return record;
}

} // namespace ringside::stretches
