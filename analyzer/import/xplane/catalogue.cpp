// SPDX-License-Identifier: Apache-2.0
#include "import/xplane/catalogue.h"

#include "import/text.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ringside::importers::xplane {
namespace {

constexpr std::size_t kMostEntries = 4'000'000; // names and lines of a file; a profile has some thousands

Argument argumentNamed(std::string_view name)
{
    using Pair = std::pair<std::string_view, Argument>;
    constexpr std::array kNames{Pair{"correlation_id", Argument::Correlation},
                                Pair{"kernel_details", Argument::Kernel},
                                Pair{"memcpy_details", Argument::Copy},
                                Pair{"Memset_details", Argument::Set},
                                Pair{"memset_details", Argument::Set},
                                Pair{"cuda_graph_id", Argument::Graph},
                                Pair{"cuda_graph_node_id", Argument::GraphNode},
                                Pair{"cuda_graph_exec_id", Argument::GraphExec},
                                Pair{"hlo_op", Argument::HloOp},
                                Pair{"step_num", Argument::StepNumber},
                                Pair{"_r", Argument::Root}};
    const auto found = std::ranges::find(kNames, name, &Pair::first);
    return found != kNames.end() ? found->second : Argument::Other;
}

void findKind(Plane& plane)
{
    constexpr std::string_view kGpu = "/device:GPU:";
    constexpr std::uint32_t kMostDevices = 1024; // of a host; more mean damage
    constexpr std::array<std::string_view, 5> kHosts{"/host:CPU", "/host:CUPTI", "/host:NVTX-CUPTI",
                                                     "/host:ROCTRACER", "/host:python-tracer"};
    if (plane.name.starts_with(kGpu)) {
        const auto device =
            values::parseNumber<std::uint32_t>(std::string_view(plane.name).substr(kGpu.size()));
        plane.kind = device && *device < kMostDevices ? PlaneKind::Gpu : PlaneKind::Other;
        plane.device = device.value_or(0);
    } else if (std::ranges::find(kHosts, plane.name) != kHosts.end()) {
        plane.kind = PlaneKind::Host;
    }
}

/// An entry of a map: an id, and a message that describes it.
struct Entry {
    std::int64_t id = 0;
    std::string_view description;
};

std::optional<Entry> readEntry(std::string_view bytes)
{
    Message message(bytes);
    Entry entry;
    for (Field field; message.next(field);) {
        if (field.number == 1) {
            entry.id = static_cast<std::int64_t>(field.value);
        } else if (field.number == 2) {
            entry.description = field.bytes;
        }
    }
    return message.isDamaged() ? std::nullopt : std::optional(entry);
}

/// Returns the text in field `number` of a message; empty if it has none.
std::string_view textIn(std::string_view bytes, std::uint32_t number)
{
    std::string_view text;
    Message message(bytes);
    for (Field field; message.next(field);) {
        text = field.number == number ? field.bytes : text;
    }
    return text;
}

class Reader final {
public:
    Reader(Wire& wire, NameTable& names, Catalogue& catalogue)
        : m_wire(wire), m_names(names), m_catalogue(catalogue)
    {}

    /// Reads the XSpace.
    void read()
    {
        for (Field field; m_wire.next(Wire::kEndOfFile, field);) {
            if (field.number == 1 && field.isBytes && isRoom()) {
                readPlane(m_wire.offset() + field.value, m_catalogue.planes.emplace_back());
            } else if (field.number == 4 && field.isBytes) {
                keepText(field, m_catalogue.hosts);
            } else if (field.isBytes && (field.number == 2 || field.number == 3)) {
                keepText(field, m_catalogue.complaints);
            } else {
                m_wire.skip(field);
            }
        }
    }

private:
    bool isRoom()
    {
        m_catalogue.beyond += m_entries < kMostEntries ? 0 : 1;
        return m_entries++ < kMostEntries;
    }

    void keepText(const Field& field, std::vector<std::string>& texts)
    {
        const auto text = m_wire.take(field);
        if (text && isRoom()) {
            texts.push_back(cleanText(*text));
        }
    }

    void readPlane(std::uint64_t end, Plane& plane)
    {
        std::vector<std::string> facts; // their names may follow
        for (Field field; m_wire.next(end, field);) {
            if (field.number == 3 && field.isBytes) {
                readLine(m_wire.offset() + field.value, plane);
            } else if (field.isBytes && (field.number == 2 || field.number >= 4)) {
                readPart(field, plane, facts);
            } else {
                m_wire.skip(field);
            }
        }
        findKind(plane);
        for (const std::string& fact : facts) {
            addFact(fact, plane);
        }
    }

    void readPart(const Field& field, Plane& plane, std::vector<std::string>& facts)
    {
        const auto bytes = m_wire.take(field);
        if (!bytes || !isRoom()) { // too long, such as the program of a module in plane /host:metadata
            return;
        }
        if (field.number == 2) {
            plane.name = cleanText(*bytes);
        } else if (field.number == 6) {
            facts.emplace_back(*bytes);
        } else if (field.number == 4 || field.number == 5) {
            const auto entry = readEntry(*bytes);
            m_catalogue.damaged += entry ? 0 : 1;
            if (entry && field.number == 4) {
                plane.events[entry->id] = m_names.idOf(cleanText(textIn(entry->description, 2)));
            } else if (entry) {
                addText(*entry, plane);
            }
        }
    }

    static void addText(const Entry& entry, Plane& plane)
    {
        const std::string text = cleanText(textIn(entry.description, 2));
        if (const Argument argument = argumentNamed(text); argument != Argument::Other) {
            plane.arguments[entry.id] = argument;
        }
        plane.texts[entry.id] = text;
    }

    void addFact(const std::string& bytes, Plane& plane)
    {
        const auto value = readValue(bytes);
        const auto name = value ? plane.texts.find(value->argument) : plane.texts.end();
        if (name == plane.texts.end()) {
            ++m_catalogue.damaged;
            return;
        }
        const std::string_view text = plane.textOf(*value);
        plane.facts[name->second] = text.empty() ? std::to_string(value->number) : cleanText(text);
    }

    /// Reads an XLine without its events, which may come before its other fields.
    void readLine(std::uint64_t end, Plane& plane)
    {
        Line beyond;
        Line& line = isRoom() ? plane.lines.emplace_back() : beyond;
        for (Field field; m_wire.next(end, field);) {
            const auto name = field.number == 2 && field.isBytes ? m_wire.take(field) : std::nullopt;
            if (name) {
                line.name = cleanText(*name);
            } else if (field.number == 1 && !field.isBytes) {
                line.id = static_cast<std::int64_t>(field.value);
            } else if (field.number == 3 && !field.isBytes) {
                line.startNs = static_cast<std::int64_t>(field.value);
            } else if (field.number != 2) {
                m_wire.skip(field);
            }
        }
    }

    Wire& m_wire;
    NameTable& m_names;
    Catalogue& m_catalogue;
    std::size_t m_entries = 0;
};

} // namespace

std::optional<Value> readValue(std::string_view bytes)
{
    Message message(bytes);
    Value value;
    for (Field field; message.next(field);) {
        switch (field.number) {
        case 1:
            value.argument = static_cast<std::int64_t>(field.value);
            break;
        case 3: // unsigned
        case 4: // signed
            value.number = field.value;
            break;
        case 5:
            value.text = field.bytes;
            break;
        case 7:
            value.reference = field.value;
            break;
        default: // a fraction, bytes, or a compressed text: no argument that is read has them
            break;
        }
    }
    return message.isDamaged() ? std::nullopt : std::optional(value);
}

std::string_view Plane::textOf(const Value& value) const
{
    if (!value.reference) {
        return value.text;
    }
    const auto found = texts.find(static_cast<std::int64_t>(*value.reference));
    return found != texts.end() ? std::string_view(found->second) : std::string_view();
}

Argument Plane::argumentOf(const Value& value) const
{
    const auto found = arguments.find(value.argument);
    return found != arguments.end() ? found->second : Argument::Other;
}

std::optional<std::int64_t> Plane::number(const std::string& fact) const
{
    const auto found = facts.find(fact);
    return found != facts.end() ? values::parseNumber<std::int64_t>(found->second) : std::nullopt;
}

Catalogue readCatalogue(Wire& wire, NameTable& names)
{
    Catalogue catalogue;
    try {
        Reader(wire, names, catalogue).read();
    } catch (const Damage& damage) {
        catalogue.end = damage;
    }
    for (Plane& plane : catalogue.planes) { // of the last plane, a damaged file may lack the end
        findKind(plane);
        if (plane.name == "Task Environment") {
            catalogue.startedNs = plane.number("profile_start_time");
        }
    }
    return catalogue;
}

} // namespace ringside::importers::xplane
