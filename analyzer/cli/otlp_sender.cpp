// SPDX-License-Identifier: Apache-2.0
#include "cli/otlp_sender.h"

#include "values/parse_number.h"

#include <ringside/error.h>

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ringside::cli {
namespace {

// libcurl's interface, as far as it is used here. It has been the same since libcurl.so.4 (2006); see
// curl/curl.h.
constexpr int kCurlOk = 0;
constexpr int kTimeout = 13;
constexpr int kNoSignal = 99;
constexpr int kProtocols = 181;
constexpr int kErrorBuffer = 10010;
constexpr int kPostFields = 10015;
constexpr int kUserAgent = 10018;
constexpr int kHttpHeader = 10023;
constexpr int kUrl = 10002;
constexpr int kWriteFunction = 20011;
constexpr int kPostFieldSizeLarge = 30120;
constexpr int kInfoResponseCode = 0x200002;
constexpr long kHttpAndHttps = 3;
constexpr long kMostSeconds = 10;
constexpr std::size_t kErrorBytes = 256;

constexpr const char* kHeaderVariable = "OTEL_EXPORTER_OTLP_HEADERS";

/// The answer's text is of no use: its code says whether the figures were taken.
std::size_t dropAnswer(char* /*text*/, std::size_t size, std::size_t count, void* /*nothing*/)
{
    return size * count;
}

void* openLibrary()
{
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"}) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
    }
    throw Error(ErrorCode::Usage, "figures cannot be sent: this machine has no libcurl",
                "Install it (Debian and Ubuntu: libcurl4; Red Hat: libcurl), or let Prometheus read "
                "`ringside serve`.");
}

/// Returns the text with %20 and the like as the characters that they stand for; other signs of percent stay.
std::string percentDecoded(std::string_view text)
{
    constexpr std::size_t kDigits = 2;
    constexpr int kHex = 16;
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + kDigits < text.size() &&
            std::from_chars(digits, digits + kDigits, byte, kHex).ptr == digits + kDigits) {
            decoded += static_cast<char>(byte);
            i += kDigits;
        } else {
            decoded += text[i];
        }
    }
    return decoded;
}

/// Returns "a=b, c=d" as lines of HTTP. OpenTelemetry writes the variable like W3C Baggage: spaces around the
/// parts do not count, and values are percent-encoded. A line break would begin another header, so a pair
/// that holds one is left out.
std::vector<std::string> headersOf(std::string_view text)
{
    std::vector<std::string> headers{"Content-Type: application/json", "Expect:"};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view pair = text.substr(0, end);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const std::string name(values::trimmed(pair.substr(0, equals)));
        const std::string value =
            percentDecoded(values::trimmed(pair.substr(std::min(equals + 1, pair.size()))));
        if (!name.empty() && equals < pair.size() &&
            (name + value).find_first_of("\r\n") == std::string::npos) {
            headers.push_back(fmt::format("{}: {}", name, value));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return headers;
}

} // namespace

std::string otlpAddress(const std::string& given)
{
    const std::size_t scheme = given.starts_with("http://")    ? 7
                               : given.starts_with("https://") ? 8
                                                               : std::string::npos;
    if (scheme == std::string::npos || given.size() == scheme || given[scheme] == '/') {
        throw Error(ErrorCode::Usage, "--otlp " + given + " is no address of HTTP",
                    "Write where the collector takes OTLP over HTTP: http://collector:4318");
    }
    const std::size_t path = given.find('/', scheme);
    const bool hasPath = path != std::string::npos && path + 1 < given.size();
    return hasPath ? given : given.substr(0, path) + "/v1/metrics";
}

struct OtlpSender::Curl {
    using Handle = void*;
    using List = void*;
    Handle (*init)() = nullptr;
    int (*setOption)(Handle, int, ...) = nullptr;
    int (*perform)(Handle) = nullptr;
    int (*getInfo)(Handle, int, ...) = nullptr;
    void (*cleanUp)(Handle) = nullptr;
    const char* (*errorText)(int) = nullptr;
    List (*append)(List, const char*) = nullptr;
    void (*freeList)(List) = nullptr;
    Handle handle = nullptr;
    List headers = nullptr;
    std::array<char, kErrorBytes> why{};

    Curl()
    {
        void* const library = openLibrary();
        const auto find = [library](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        const bool whole = find(init, "curl_easy_init") && find(setOption, "curl_easy_setopt") &&
                           find(perform, "curl_easy_perform") && find(getInfo, "curl_easy_getinfo") &&
                           find(cleanUp, "curl_easy_cleanup") && find(errorText, "curl_easy_strerror") &&
                           find(append, "curl_slist_append") && find(freeList, "curl_slist_free_all");
        handle = whole ? init() : nullptr;
        if (handle == nullptr) {
            throw Error(ErrorCode::Usage, "figures cannot be sent: this machine's libcurl cannot be used",
                        "Install it again, or let Prometheus read `ringside serve`.");
        }
    }
    ~Curl()
    {
        freeList(headers);
        cleanUp(handle);
    }
    Curl(const Curl&) = delete;
    Curl& operator=(const Curl&) = delete;
};

OtlpSender::OtlpSender(std::string address) : m_curl(std::make_unique<Curl>()), m_address(std::move(address))
{
    const char* const given = std::getenv(kHeaderVariable);
    for (const std::string& header : headersOf(given != nullptr ? given : "")) {
        m_curl->headers = m_curl->append(m_curl->headers, header.c_str());
    }
    Curl& curl = *m_curl;
    curl.setOption(curl.handle, kUrl, m_address.c_str());
    curl.setOption(curl.handle, kProtocols, kHttpAndHttps);
    curl.setOption(curl.handle, kNoSignal, 1L);
    curl.setOption(curl.handle, kTimeout, kMostSeconds);
    curl.setOption(curl.handle, kUserAgent, "ringside");
    curl.setOption(curl.handle, kHttpHeader, curl.headers);
    curl.setOption(curl.handle, kErrorBuffer, curl.why.data());
    curl.setOption(curl.handle, kWriteFunction, dropAnswer);
}

OtlpSender::~OtlpSender() = default;

std::optional<std::string> OtlpSender::send(const std::string& request)
{
    constexpr long kTaken = 200;
    constexpr long kTakenEnd = 300;
    Curl& curl = *m_curl;
    curl.why.front() = '\0';
    curl.setOption(curl.handle, kPostFields, request.c_str());
    curl.setOption(curl.handle, kPostFieldSizeLarge, static_cast<std::int64_t>(request.size()));
    if (const int result = curl.perform(curl.handle); result != kCurlOk) {
        return curl.why.front() != '\0' ? std::string(curl.why.data()) : std::string(curl.errorText(result));
    }
    long code = 0;
    curl.getInfo(curl.handle, kInfoResponseCode, &code);
    return code >= kTaken && code < kTakenEnd
               ? std::nullopt
               : std::optional("it answered with HTTP " + std::to_string(code));
}

} // namespace ringside::cli
