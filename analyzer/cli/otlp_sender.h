// SPDX-License-Identifier: Apache-2.0
// Sends figures to a collector of OpenTelemetry: OTLP over HTTP, as JSON. It uses the system's libcurl, which
// is loaded when somebody asks for it, so that certificates and proxies are the system's, too.
#pragma once
#include <memory>
#include <optional>
#include <string>

namespace ringside::cli {

/// The address to send to: "http://collector:4318" gets the path of the protocol, /v1/metrics, and an address
/// with a path stays as it is. Throws ringside::Error (Usage) where it is no address of HTTP.
[[nodiscard]] std::string otlpAddress(const std::string& given);

class OtlpSender final {
public:
    /// Headers, for a password for example, come from OTEL_EXPORTER_OTLP_HEADERS ("name=value,name=value",
    /// values percent-encoded: OpenTelemetry's specification of exporters). Throws ringside::Error (Usage)
    /// where there is no libcurl.
    explicit OtlpSender(std::string address);
    ~OtlpSender();
    OtlpSender(const OtlpSender&) = delete;
    OtlpSender& operator=(const OtlpSender&) = delete;

    /// Returns what went wrong; null: the collector took it. Waits ten seconds at most.
    [[nodiscard]] std::optional<std::string> send(const std::string& request);

private:
    struct Curl;
    std::unique_ptr<Curl> m_curl;
    std::string m_address;
};

} // namespace ringside::cli
