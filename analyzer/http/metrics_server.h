// SPDX-License-Identifier: Apache-2.0
// A small HTTP server for one page, GET /metrics, that a Prometheus reads. It answers nothing else, and it
// does its work only while run() is called.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

struct MHD_Daemon;

namespace ringside::http {

/// An IP address and a port.
struct Endpoint {
    std::string address; ///< of IPv4 or IPv6, without brackets
    std::uint16_t port = 0;
    bool isLoopback = true; ///< only programs of this machine reach it
};

/// Parses "127.0.0.1:9464", "[::1]:9464" or ":9464" (this machine only). Throws ringside::Error (Usage).
[[nodiscard]] Endpoint parseEndpoint(const std::string& text);

class MetricsServer final {
public:
    /// `page` returns the text of /metrics. Throws ringside::Error (Io) where the address cannot be had, and
    /// (Usage) where this build has no HTTP server.
    MetricsServer(const Endpoint& endpoint, std::function<std::string()> page);
    ~MetricsServer();
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;

    /// Answers what comes within this time.
    void run(std::chrono::milliseconds time);
    /// The port that it got, where it was asked for any (0).
    [[nodiscard]] std::uint16_t port() const;

private:
    std::function<std::string()> m_page;
    MHD_Daemon* m_daemon = nullptr;
};

} // namespace ringside::http
