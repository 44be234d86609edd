// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/event.h"

#include "flops/operator_work.h"

#include <cstdint>
#include <cstring>

namespace ringside::importers::kineto {
namespace {

/// Packs up to four characters into one number, so that the most frequent keys are compared without a call.
constexpr std::uint32_t packed(std::string_view key)
{
    std::uint32_t word = 0;
    for (std::size_t i = key.size(); i-- > 0;) {
        word = word << 8U | static_cast<unsigned char>(key[i]);
    }
    return word;
}

/// Packs a key of `size` (1 to 4) characters in the file. At least four bytes must be readable.
std::uint32_t packedAt(const char* key, std::size_t size)
{
    std::uint32_t word = 0;
    std::memcpy(&word, key, sizeof word);
    return word & (0xFFFFFFFFU >> 8U * (sizeof word - size));
}

/// Returns the text that receives the value of a key of args. Null if the value is not needed.
std::string_view* argument(Event& event, std::string_view key)
{
    const auto is = [key](std::string_view name, std::string_view& to) {
        return key == name ? &to : static_cast<std::string_view*>(nullptr);
    };
    const auto ofCollective = [&](std::string_view name, std::string_view& to) {
        event.hasCollective = event.hasCollective || key == name;
        return is(name, to);
    };
    switch (key.size()) {
    case 3:
        return ofCollective("Seq", event.collective.sequence);
    case 4:
        return key[0] == 'g' ? is("grid", event.launch.grid) : is("name", event.label);
    case 5:
        return key == "block"  ? &event.launch.block
               : key[0] == 'b' ? is("bytes", event.bytes)
                               : ofCollective("dtype", event.collective.datatype);
    case 6:
        return key[0] == 'd' ? is("device", event.device) : is("stream", event.stream);
    case 8:
        return key[0] == 'g'   ? is("graph id", event.graph)
               : key[0] == 'S' ? ofCollective("Src Rank", event.collective.source)
                               : ofCollective("Dst Rank", event.collective.destination);
    case 9:
        return is("Device Id", event.allocator.device);
    case 10:
        return key[0] == 'G'   ? ofCollective("Group size", event.collective.groupSize)
               : key[6] == 'D' ? is("Input Dims", event.arguments.shapes)
                               : is("Input type", event.arguments.types);
    case 11:
        return key[0] == 'c' ? is("correlation", event.correlation)
                             : is("Device Type", event.allocator.deviceType);
    case 13:
        return key[0] == 'g'   ? is("graph node id", event.graphNode)
               : key[0] == 's' ? is("shared memory", event.launch.sharedBytes)
                               : ofCollective("In msg nelems", event.collective.inElements);
    case 14:
        return key[0] == 'T' ? is("Total Reserved", event.allocator.reserved)
                             : ofCollective("Out msg nelems", event.collective.outElements);
    case 15:
        return key == "Concrete Inputs" ? &event.arguments.inputs
               : key[0] == 'T'          ? is("Total Allocated", event.allocator.allocated)
                                        : ofCollective("Collective name", event.collective.name);
    case 18:
        return ofCollective("Process Group Name", event.collective.group);
    case 19:
        return ofCollective("Process Group Ranks", event.collective.groupRanks);
    case 20:
        return is("registers per thread", event.launch.registers);
    case 25:
        return key[0] == 'e' ? is("est. achieved occupancy %", event.launch.occupancyPercent)
                             : ofCollective("Process Group Description", event.collective.groupDescription);
    default:
        return nullptr;
    }
}

/// Returns the text that receives the value of a member of the event. Null if the value is not needed.
std::string_view* member(Event& event, std::string_view key)
{
    if (key.empty() || key.size() > sizeof(std::uint32_t)) {
        return nullptr;
    }
    switch (packedAt(key.data(), key.size())) {
    case packed("ph"):
        return &event.phase;
    case packed("ts"):
        return &event.time;
    case packed("pid"):
        return &event.pid;
    case packed("tid"):
        return &event.tid;
    case packed("cat"):
        return &event.category;
    case packed("dur"):
        return &event.duration;
    case packed("name"):
        return &event.name;
    default:
        return nullptr;
    }
}

/// Whether the arguments of the event are needed. Operators and Python functions are the most frequent
/// events. Of operators, record_param_comms and those that compute have useful arguments. Python functions
/// have their ids and those of their callers, but the calls of a thread nest in time.
bool needsArguments(const Event& event)
{
    return event.category == "cpu_op" ? event.name == "record_param_comms" || flops::hasFormula(event.name)
                                      : event.category != "python_function";
}

Scan readArguments(JsonCursor& cursor, Event& event)
{
    const auto readValue = [&](std::string_view key) {
        std::string_view ignored;
        std::string_view* const to = argument(event, key);
        return cursor.value(to != nullptr ? *to : ignored);
    };
    return forEachMember(cursor, readValue, [] { return false; });
}

/// Whether the event is a flow. Flows are a third of the events, and they are only counted.
bool isFlow(const Event& event)
{
    return event.phase.size() == 1 &&
           (event.phase[0] == 's' || event.phase[0] == 'f' || event.phase[0] == 't');
}

} // namespace

Scan readEvent(JsonCursor& cursor, Event& event)
{
    event.clear();
    const auto readValue = [&](std::string_view key) {
        if (cursor.peek() == '{' && key == "args" && needsArguments(event)) {
            return readArguments(cursor, event);
        }
        std::string_view ignored;
        std::string_view* const to = member(event, key);
        return cursor.value(to != nullptr ? *to : ignored);
    };
    return forEachMember(cursor, readValue, [&] { return isFlow(event); });
}

} // namespace ringside::importers::kineto
