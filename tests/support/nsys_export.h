// SPDX-License-Identifier: Apache-2.0
// A SQLite export of Nsight Systems, made small and in the words of the domain, in the form of several schema
// versions: tables, columns and options as those have them. Times are ns since the session's start.
#pragma once
#include "trace/write/database.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::test {

enum class NsysForm : std::uint8_t {
    Legacy, ///< EXPORT_META_DATA, NOT NULL columns, no payloads
    V313,   ///< META_DATA_EXPORT, payloads as JSON
    V325,   ///< payloads as bytes, too
    V330
};
inline constexpr std::array kNsysForms{NsysForm::Legacy, NsysForm::V313, NsysForm::V325, NsysForm::V330};

/// What NCCL adds to a range, as far as it is given.
struct NsysPayload {
    std::optional<std::uint64_t> communicator = {}, bytes = {};
    std::optional<std::int32_t> peer = {}, ranks = {}, rank = {}, device = {};
};

class NsysExport final {
public:
    static constexpr std::int64_t kPid = 100;
    static constexpr std::int64_t kNcclDomain = 1;
    static constexpr const char* kAllReduce =
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)";
    static constexpr const char* kSendRecv =
        "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)";

    /// Makes the file; `blobs`: payloads are exported.
    explicit NsysExport(const std::filesystem::path& path, NsysForm form = NsysForm::V325,
                        bool blobs = false);

    NsysExport& process(std::int64_t pid, const std::string& name = "python3");
    NsysExport& kernel(const std::string& name, std::int64_t correlation, std::int64_t start,
                       std::int64_t end, std::int64_t pid = kPid, std::int64_t device = 0,
                       std::int64_t stream = 7);
    NsysExport& copy(std::int64_t bytes, std::int64_t correlation, std::int64_t start, std::int64_t end,
                     std::int64_t pid = kPid);
    NsysExport& set(std::int64_t bytes, std::int64_t correlation, std::int64_t start, std::int64_t end);
    /// By the process's first thread, whose id is the process's.
    NsysExport& call(const std::string& name, std::int64_t correlation, std::int64_t start, std::int64_t end,
                     std::int64_t pid = kPid);
    NsysExport& range(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t pid = kPid);
    NsysExport& ncclRange(const std::string& name, std::int64_t start, std::int64_t end,
                          const NsysPayload& payload = {}, std::int64_t pid = kPid);
    /// A call of NCCL, its launch and its kernel: start and end are the kernel's.
    NsysExport& collective(const std::string& function, const std::string& kernelName,
                           std::int64_t correlation, std::int64_t start, std::int64_t end,
                           const NsysPayload& payload = {}, std::int64_t pid = kPid, std::int64_t device = 0);
    NsysExport& sessionStart(std::int64_t utcNs);
    NsysExport& host(const std::string& name);
    /// Of table META_DATA_CAPTURE.
    NsysExport& captured(const std::string& name, const std::string& value);
    NsysExport& execute(const std::string& sql);

    [[nodiscard]] std::int64_t stringId(const std::string& text);
    [[nodiscard]] static std::int64_t globalPid(std::int64_t pid);

private:
    void makeTables();
    void makeSchemas();
    template <class... Values>
    void insert(const std::string& into, const Values&... values);
    void addRange(std::string_view name, std::int64_t start, std::int64_t end, std::int64_t pid,
                  std::int64_t domain, const NsysPayload& payload);

    trace::Database m_database;
    NsysForm m_form;
    bool m_blobs;
    std::map<std::string, std::int64_t> m_strings;
};

} // namespace ringside::test
