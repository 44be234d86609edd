// SPDX-License-Identifier: Apache-2.0
// Events of ports and devices at the times of the script, and names of events and states.
#include "devices.h"

#include <unistd.h>

#include <cerrno>

using namespace ringside::verbs;

namespace {

// The device of the last event returned on this thread: an acknowledgement names no context.
thread_local Opened* t_last = nullptr;

} // namespace

extern "C" {

int ibv_get_async_event(ibv_context* context, ibv_async_event* event)
{
    Opened* const opened = openedOf(context);
    std::uint64_t times = 0;
    if (opened == nullptr) {
        errno = EINVAL;
        return -1;
    }
    if (read(context->async_fd, &times, sizeof times) != sizeof times)
        return -1;
    const EventEntry& entry = Script::get().events()[opened->next++];
    event->event_type = entry.type;
    event->element.port_num = entry.port;
    ++opened->unacknowledged;
    t_last = opened;
    armTimer(*opened);
    return 0;
}

void ibv_ack_async_event(ibv_async_event*)
{
    if (t_last != nullptr)
        --t_last->unacknowledged;
    t_last = nullptr;
}

const char* ibv_event_type_str(ibv_event_type event)
{
    switch (event) {
    case IBV_EVENT_DEVICE_FATAL:
        return "device fatal error";
    case IBV_EVENT_PORT_ACTIVE:
        return "port active";
    case IBV_EVENT_PORT_ERR:
        return "port error";
    case IBV_EVENT_LID_CHANGE:
        return "LID change";
    case IBV_EVENT_PKEY_CHANGE:
        return "partition key change";
    case IBV_EVENT_SM_CHANGE:
        return "subnet manager change";
    case IBV_EVENT_CLIENT_REREGISTER:
        return "clients must register again";
    case IBV_EVENT_GID_CHANGE:
        return "GID change";
    default:
        return "an event that the platform does not have";
    }
}

const char* ibv_port_state_str(ibv_port_state state)
{
    switch (state) {
    case IBV_PORT_DOWN:
        return "PORT_DOWN";
    case IBV_PORT_INIT:
        return "PORT_INIT";
    case IBV_PORT_ARMED:
        return "PORT_ARMED";
    case IBV_PORT_ACTIVE:
        return "PORT_ACTIVE";
    default:
        return "invalid state";
    }
}

const char* ibv_node_type_str(ibv_node_type type)
{
    return type == IBV_NODE_CA ? "InfiniBand channel adapter" : "unknown";
}

} // extern "C"
