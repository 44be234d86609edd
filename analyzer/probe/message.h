// SPDX-License-Identifier: Apache-2.0
// A message between leader and agent: one line of JSON. The sender is untrusted: missing members and members
// of another type count as absent.
#pragma once
#include "probe/socket.h"

#include <nlohmann/json.hpp>

namespace ringside::probe {

using Message = nlohmann::json;

[[nodiscard]] inline std::optional<Message> receiveMessage(LineConnection& connection)
{
    const auto line = connection.receiveLine();
    Message message = line ? Message::parse(*line, nullptr, false) : Message();
    return message.is_object() ? std::optional(std::move(message)) : std::nullopt;
}

[[nodiscard]] inline bool sendMessage(const LineConnection& connection, const Message& message)
{
    return connection.sendLine(message.dump(-1, ' ', true, Message::error_handler_t::replace));
}

[[nodiscard]] inline std::string wordOf(const Message& message, const char* name)
{
    const auto found = message.find(name);
    return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Returns a number limited to 0 to `most`.
template <class Number>
[[nodiscard]] Number numberOf(const Message& message, const char* name, Number most)
{
    const auto found = message.find(name);
    const double value = found != message.end() && found->is_number() ? found->get<double>() : 0.0;
    return value >= static_cast<double>(most) ? most : value > 0 ? static_cast<Number>(value) : Number{0};
}

} // namespace ringside::probe
