// SPDX-License-Identifier: Apache-2.0
#include "script.h"

#include "script_text.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string_view>

namespace ringside::verbs {
namespace {

using Names = std::map<std::string, unsigned, std::less<>>;

/// Keys with the words and numbers that they accept.
const std::map<std::string, std::pair<Key, Names>, std::less<>>& keys()
{
    static const Names mtus{{"256", 1}, {"512", 2}, {"1024", 3}, {"2048", 4}, {"4096", 5}};
    static const auto* all = new std::map<std::string, std::pair<Key, Names>, std::less<>>{
        {"state",
         {Key::State,
          {{"down", IBV_PORT_DOWN},
           {"init", IBV_PORT_INIT},
           {"armed", IBV_PORT_ARMED},
           {"active", IBV_PORT_ACTIVE}}}},
        {"physical",
         {Key::Physical,
          {{"sleep", 1}, {"polling", 2}, {"disabled", 3}, {"training", 4}, {"link_up", 5}, {"recovery", 6}}}},
        {"width", {Key::Width, {{"1", 1}, {"2", 16}, {"4", 2}, {"8", 4}, {"12", 8}}}},
        {"speed",
         {Key::Speed,
          {{"SDR", 1},
           {"DDR", 2},
           {"QDR", 4},
           {"FDR10", 8},
           {"FDR", 16},
           {"EDR", 32},
           {"HDR", 64},
           {"NDR", 128},
           {"XDR", 256}}}},
        {"layer",
         {Key::Layer, {{"infiniband", IBV_LINK_LAYER_INFINIBAND}, {"ethernet", IBV_LINK_LAYER_ETHERNET}}}},
        {"mtu", {Key::Mtu, mtus}},
        {"mtu_max", {Key::MtuMax, mtus}},
        {"lid", {Key::Lid, {}}},
        {"fails", {Key::Fails, {{"0", 0}, {"1", 1}}}},
        {"blocks", {Key::Blocks, {{"0", 0}, {"1", 1}}}}};
    return *all;
}

const std::map<std::string, ibv_event_type, std::less<>>& eventNames()
{
    static const auto* all = new std::map<std::string, ibv_event_type, std::less<>>{
        {"device_fatal", IBV_EVENT_DEVICE_FATAL},    {"port_active", IBV_EVENT_PORT_ACTIVE},
        {"port_error", IBV_EVENT_PORT_ERR},          {"lid_change", IBV_EVENT_LID_CHANGE},
        {"pkey_change", IBV_EVENT_PKEY_CHANGE},      {"sm_change", IBV_EVENT_SM_CHANGE},
        {"reregister", IBV_EVENT_CLIENT_REREGISTER}, {"gid_change", IBV_EVENT_GID_CHANGE}};
    return *all;
}

std::optional<unsigned> valueOf(const Names& names, const std::string& text)
{
    constexpr unsigned kLargestLid = 0xbfff;
    const auto named = names.find(text);
    if (named != names.end())
        return named->second;
    return names.empty() ? platform::wholeScriptNumber(text, kLargestLid) : std::nullopt;
}

} // namespace

const Script& Script::get()
{
    static const auto* script = platform::readNamedScript<Script>("RINGSIDE_VERBS_SCRIPT", &Script::m_error);
    return *script;
}

Script::Script(const std::string& text, const std::string& path)
{
    m_error = platform::readScriptLines(text, path, [this](double seconds, std::istringstream& words) {
        return parseLine(seconds, words) ? std::string() : m_error;
    });
}

bool Script::parseLine(double seconds, std::istringstream& words)
{
    constexpr unsigned kMostPorts = 8;
    std::string name;
    words >> name;
    const auto colon = name.find(':');
    const auto port =
        colon == std::string::npos ? 0U : platform::wholeScriptNumber(name.substr(colon + 1), kMostPorts);
    const Place place = {seconds, name.substr(0, colon), static_cast<int>(port.value_or(0))};
    if (place.device.empty() || place.device.size() >= sizeof(ibv_device::name) || !port.has_value() ||
        (*port == 0 && colon != std::string::npos)) {
        m_error = "'" + name + "' is no DEVICE or DEVICE:PORT, with a port from 1 to 8";
        return false;
    }
    int& ports = m_devices[place.device];
    ports = std::max({ports, place.port, 1});
    for (std::string word; words >> word;)
        if (!parseWord(word, place))
            return false;
    return true;
}

bool Script::parseWord(const std::string& word, const Place& place)
{
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key.starts_with("gid."))
        return parseGid(key.substr(key.find('.') + 1), text, place);
    if (const auto event = eventNames().find(text); key == "event" && event != eventNames().end()) {
        m_events.push_back({place.seconds, place.device, place.port, event->second});
        return true;
    }
    const auto known = keys().find(key);
    const auto value = known == keys().end() ? std::nullopt : valueOf(known->second.second, text);
    if (!value.has_value()) {
        m_error = "'" + word + "' is not known; the README beside the emulated libibverbs lists the keys";
        return false;
    }
    if (known->second.first == Key::State)
        noteStateChange(*value, place);
    m_entries.push_back({place, known->second.first, *value});
    return true;
}

// Parses TYPE/ADDRESS.
bool Script::parseGid(const std::string& index, const std::string& text, const Place& place)
{
    static const std::map<std::string, ibv_gid_type, std::less<>> types{
        {"ib", IBV_GID_TYPE_IB}, {"v1", IBV_GID_TYPE_ROCE_V1}, {"v2", IBV_GID_TYPE_ROCE_V2}};
    constexpr unsigned kMost = 255;
    const auto slash = text.find('/');
    const auto type = types.find(std::string_view(text).substr(0, slash));
    const std::optional<unsigned> number = platform::wholeScriptNumber(index, kMost);
    Gid gid;
    if (slash == std::string::npos || type == types.end() || !number.has_value() ||
        inet_pton(AF_INET6, text.c_str() + slash + 1, gid.address.raw) != 1) {
        m_error =
            "gid." + index + " cannot be '" + text + "': needs ib, v1 or v2, a slash and an IPv6 address";
        return false;
    }
    gid.type = type->second;
    m_gids.push_back({place, *number, gid});
    return true;
}

// Adapters report an event when a port goes up or down.
void Script::noteStateChange(unsigned state, const Place& place)
{
    const unsigned before =
        value(place.device, place.port, Key::State, place.seconds).value_or(IBV_PORT_ACTIVE);
    if ((before == IBV_PORT_ACTIVE) != (state == IBV_PORT_ACTIVE))
        m_events.push_back({place.seconds, place.device, place.port,
                            state == IBV_PORT_ACTIVE ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR});
}

std::optional<unsigned> Script::value(const std::string& device, int port, Key key, double seconds) const
{
    std::optional<unsigned> newest;
    for (const Entry& entry : m_entries) {
        const bool of = entry.place.device == device && (entry.place.port == port || entry.place.port == 0);
        if (of && entry.key == key && entry.place.seconds <= seconds)
            newest = entry.value;
    }
    return newest;
}

std::map<unsigned, Gid> Script::gids(const std::string& device, int port, double seconds) const
{
    std::map<unsigned, Gid> present;
    for (const GidEntry& entry : m_gids)
        if (entry.place.device == device && entry.place.port == port && entry.place.seconds <= seconds)
            present[entry.index] = entry.gid;
    return present;
}

} // namespace ringside::verbs
