// SPDX-License-Identifier: Apache-2.0
#include "device/platform_identity.h"

#include "abi/cuda.h"
#include "abi/nccl.h"
#include "record/emulation.h"
#include "record/identity.h"
#include "record/library_versions.h"
#include "record/nccl_settings.h"
#include "record/placement.h"
#include "record/program_calls.h"
#include "record/ranks.h"
#include "resolve/resolve.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace ringside::collector {
namespace {

std::string uuidText(const unsigned char* bytes)
{
    std::string text = "GPU-";
    for (int index = 0; index < 16; ++index) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[index]));
        text += index == 4 || index == 6 || index == 8 || index == 10 ? "-" : "";
        text += digits;
    }
    return text;
}

std::string versionText(int version)
{
    constexpr int kMajor = 1000;
    return std::to_string(version / kMajor) + "." + std::to_string(version % kMajor / 10);
}

/// Writes the version and returns it; 0 if the library does not tell.
template <class Result>
int writeVersion(trace::Writer& writer, Library library, const char* function, const trace::Fact& fact,
                 std::string (*text)(int))
{
    int version = 0;
    bool answered = false;
    runWithProgramDescriptors([&] {
        auto* const query = reinterpret_cast<Result (*)(int*)>(resolveAny(library, function));
        answered = query != nullptr && query(&version) == Result{};
    });
    if (answered) {
        writer.add(trace::settingRow(fact, text(version)));
    }
    return answered ? version : 0;
}

void describeNccl(trace::Writer& writer, int version)
{
    noteNcclVersion(version);
    if (version > kNewestKnownNccl) {
        writer.add(trace::IssueRow{trace::Issue::NewerLibrary, 1,
                                   "NCCL " + ncclVersionText(version) +
                                       " is newer than this Ringside, which knows the functions up to " +
                                       ncclVersionText(kNewestKnownNccl / 100 * 100) +
                                       ": calls of newer functions are not recorded; use a newer Ringside"});
    }
}

/// Numbers of cudaDeviceAttr, which are the same in CUDA 11 to 13.
enum class DeviceAttribute : int { Multiprocessors = 16, ComputeMajor = 75, ComputeMinor = 76 };

std::optional<std::int64_t> attributeOf(int ordinal, DeviceAttribute attribute)
{
    auto* const query = reinterpret_cast<cudaError_t (*)(int*, int, int)>(
        resolveAny(Library::CudaRuntime, "cudaDeviceGetAttribute"));
    int value = 0;
    const bool answered =
        query != nullptr && query(&value, static_cast<int>(attribute), ordinal) == cudaSuccess;
    return answered ? std::optional<std::int64_t>(value) : std::nullopt;
}

trace::DeviceRow askCuda(int ordinal)
{
    trace::DeviceRow row;
    row.ordinal = ordinal;
    void* properties = resolveAny(Library::CudaRuntime, "cudaGetDeviceProperties_v2"); // CUDA 12
    if (properties == nullptr) {
        properties = resolveAny(Library::CudaRuntime, "cudaGetDeviceProperties");
    }
    alignas(64) static unsigned char buffer[abi::DevicePropertiesPrefix::kBytes];
    if (properties != nullptr &&
        reinterpret_cast<cudaError_t (*)(void*, int)>(properties)(buffer, ordinal) == cudaSuccess) {
        abi::DevicePropertiesPrefix prefix{};
        std::memcpy(&prefix, buffer, sizeof prefix);
        row.name.assign(prefix.name, strnlen(prefix.name, sizeof prefix.name));
        row.uuid = uuidText(prefix.uuid);
        row.memoryBytes = static_cast<std::int64_t>(prefix.totalGlobalMem);
    }
    row.computeMajor = attributeOf(ordinal, DeviceAttribute::ComputeMajor);
    row.computeMinor = attributeOf(ordinal, DeviceAttribute::ComputeMinor);
    row.multiprocessors = attributeOf(ordinal, DeviceAttribute::Multiprocessors);
    auto* const busId = reinterpret_cast<cudaError_t (*)(char*, int, int)>(
        resolveAny(Library::CudaRuntime, "cudaDeviceGetPCIBusId"));
    char text[32] = {};
    if (busId != nullptr && busId(text, sizeof text, ordinal) == cudaSuccess) {
        row.pciBusId = text;
    }
    row.emulated = isPlatformEmulated() || row.name.find("emulated") != std::string::npos ||
                   row.name.find("Emulated") != std::string::npos;
    return row;
}

} // namespace

void PlatformIdentity::begin(trace::Writer& writer, const Options& options)
{
    m_sysfsRoot = options.sysfsRoot;
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    writer.setTier({"host", true, "", now, std::nullopt});
}

void PlatformIdentity::pass(trace::Writer& writer, Registry& registry)
{
    const std::uint64_t seen = registry.devicesSeen.load();
    if (seen != 0 && m_described == 0) {
        describeLibraries(writer);
    }
    for (std::uint64_t fresh = seen & ~m_described; fresh != 0; fresh &= fresh - 1) {
        describeDevice(writer, std::countr_zero(fresh));
    }
    m_described = seen;
    if (registry.worldCommunicatorsSeen != m_worldsDescribed || programRank() != m_programRank) {
        describeRanks(writer, registry);
    }
}

void PlatformIdentity::end(trace::Writer&, Registry&) {}

void PlatformIdentity::describeDevice(trace::Writer& writer, int ordinal)
{
    trace::DeviceRow row;
    runWithProgramDescriptors([&] { row = askCuda(ordinal); });
    if (!row.pciBusId.empty()) {
        writeDevicePlacement(writer, m_sysfsRoot, ordinal, row.pciBusId);
    }
    writer.add(row);
    m_devices.push_back(std::move(row));
}

void PlatformIdentity::describeRanks(trace::Writer& writer, Registry& registry)
{
    m_worldsDescribed = registry.worldCommunicatorsSeen;
    m_programRank = programRank();
    const std::optional<trace::RankRow> launched = launchedRank();
    std::vector<trace::RankRow> ranks = ranksOf(registry.worldCommunicators(), launched);
    if (ranks.empty() && launched.has_value()) {
        ranks.push_back(*launched);
    }
    writer.setRanks(ranks);
}

void PlatformIdentity::describeLibraries(trace::Writer& writer)
{
    writeVersion<cudaError_t>(writer, Library::CudaRuntime, "cudaRuntimeGetVersion",
                              {"library", "cuda runtime"}, &versionText);
    writeVersion<cudaError_t>(writer, Library::CudaRuntime, "cudaDriverGetVersion",
                              {"library", "cuda driver"}, &versionText);
    describeNccl(writer, writeVersion<ncclResult_t>(writer, Library::Nccl, "ncclGetVersion",
                                                    {"library", "nccl"}, &ncclVersionText));
    if (const void* anyFunction = resolveAny(Library::Nccl, "ncclGetVersion"); anyFunction != nullptr) {
        writeNcclSettings(writer, anyFunction);
    }
}

} // namespace ringside::collector
