// SPDX-License-Identifier: Apache-2.0
// Protocol: a raw Hello, answered by '+' or '-' and a sentence. Then messages "S" key '\0' value, answered by
// "+"; and "G" milliseconds '\0' key, answered by '+' value when the key is there, or after that time by '-'
// and the missing ranks.
#include "rendezvous_server.h"

#include "errors.h"
#include "network_interface.h"
#include "signal_guard.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace ringside::nccl {
namespace {

class Store final {
public:
    explicit Store(const Secret& secret) : m_secret(secret) {}

    /// Admits a rank. Returns the reason of a refusal, or an empty text.
    std::string admit(const Hello& hello)
    {
        const std::lock_guard lock(m_mutex);
        if (m_size != 0 && m_size != hello.size)
            return "ranks disagree on the communicator's size: " + std::to_string(m_size) + " and " +
                   std::to_string(hello.size);
        if (!m_joined.insert(hello.rank).second)
            return "two ranks call themselves rank " + std::to_string(hello.rank);
        m_size = hello.size;
        return {};
    }

    [[nodiscard]] bool knows(const Secret& secret) const { return secret == m_secret; }

    bool complete()
    {
        const std::lock_guard lock(m_mutex);
        return m_size != 0 && m_joined.size() == static_cast<std::size_t>(m_size);
    }

    void set(const std::string& key, std::string value)
    {
        const std::lock_guard lock(m_mutex);
        m_values[key] = std::move(value);
        m_changed.notify_all();
    }

    /// Returns the whole answer to a Get.
    std::string get(const std::string& key, std::chrono::milliseconds timeout)
    {
        std::unique_lock lock(m_mutex);
        if (m_changed.wait_for(lock, timeout, [&] { return m_values.contains(key); }))
            return static_cast<char>(Answer::Ok) + m_values[key];
        return static_cast<char>(Answer::Refused) + missing(key);
    }

private:
    std::string missing(const std::string& key) const
    {
        std::string list;
        for (int rank = 0; rank < m_size; ++rank)
            if (!m_joined.contains(rank))
                list += (list.empty() ? "" : ", ") + std::to_string(rank);
        if (list.empty())
            return "rank " + key + " joined but then fell silent";
        return "of " + std::to_string(m_size) + " ranks these never called ncclCommInitRank: " + list;
    }

    const Secret m_secret;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::string, std::string> m_values;
    std::set<int> m_joined;
    int m_size = 0;
};

std::string answer(Store& store, const std::string& request)
{
    const auto separator = request.find('\0');
    if (request.empty() || separator == std::string::npos)
        return static_cast<char>(Answer::Refused) + std::string("malformed request");
    const std::string first = request.substr(1, separator - 1);
    const std::string second = request.substr(separator + 1);
    if (request[0] == static_cast<char>(Request::Get))
        return store.get(second, std::chrono::milliseconds(std::stoll(first)));
    store.set(first, second);
    return std::string(1, static_cast<char>(Answer::Ok));
}

void serve(const std::shared_ptr<Store>& store, const Socket& client)
{
    try {
        for (;;)
            client.sendMessage(answer(*store, client.receiveMessage()));
    } catch (const std::exception&) {
        // The client closed the connection, as every rank does at the end. A rank with an error reports it
        // itself.
    }
}

/// Reads a client's Hello and serves the client on a thread of its own.
void welcome(const std::shared_ptr<Store>& store, Socket client)
{
    client.setTimeout(
        std::chrono::seconds(5)); // an unknown client that sends nothing must not block the ranks for long
    Hello hello{};
    client.receive(&hello, sizeof hello);
    if (!store->knows(hello.secret))
        return;
    const std::string refusal = store->admit(hello);
    if (!refusal.empty()) {
        client.sendMessage(static_cast<char>(Answer::Refused) + refusal);
        return;
    }
    client.sendMessage(std::string(1, static_cast<char>(Answer::Ok)));
    client.setTimeout(std::chrono::milliseconds(0));
    std::thread([store, moved = std::move(client)] { serve(store, moved); }).detach();
}

void acceptRanks(const std::shared_ptr<Store>& store, const Socket& listener)
{
    while (!store->complete()) {
        Socket client = listener.accept();
        if (!client.valid())
            return;
        try {
            welcome(store, std::move(client));
        } catch (const std::exception&) {
            // This client did not use the protocol; the ranks are still to come.
        }
    }
}

} // namespace

UniqueId startRendezvousServer()
{
    UniqueId id;
    id.secret = makeSecret();
    Socket listener = Socket::listenOn(chooseInterface());
    id.server = listener.localAddress();
    auto store = std::make_shared<Store>(id.secret);
    const AllSignalsBlocked guard; // the server's threads must not run the application's signal handlers
    std::thread([store, moved = std::move(listener)] { acceptRanks(store, moved); }).detach();
    return id;
}

} // namespace ringside::nccl
