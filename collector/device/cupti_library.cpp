// SPDX-License-Identifier: Apache-2.0
#include "device/cupti_library.h"

#include "values/parse_number.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <climits>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

namespace ringside::collector {
namespace {

std::string_view fileNameOf(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

bool isRuntime(std::string_view path)
{
    return fileNameOf(path).starts_with("libcudart.so") || fileNameOf(path).starts_with("libcudart-");
}

using Path = std::array<char, PATH_MAX>;

/// Returns 12 for "libcudart.so.12.4.127"; 0 if the name contains no version.
int majorIn(std::string_view file)
{
    constexpr std::string_view kBefore = ".so.";
    const std::size_t at = file.rfind(kBefore);
    std::string_view digits = at != std::string_view::npos ? file.substr(at + kBefore.size()) : "";
    return values::takeNumber<int>(digits).value_or(0);
}

/// Copies the path of the CUDA runtime into `found`, a Path. Allocates nothing: an exception that passes the
/// frame of dl_iterate_phdr makes the C library load libgcc_s.so.1, and end the process if it cannot.
int copyRuntimePath(dl_phdr_info* info, std::size_t, void* found)
{
    if (!isRuntime(info->dlpi_name)) {
        return 0;
    }
    auto& path = *static_cast<Path*>(found);
    const std::size_t length = std::strlen(info->dlpi_name);
    if (length < path.size()) {
        std::memcpy(path.data(), info->dlpi_name, length + 1);
    }
    return 1;
}

/// Returns the version of the CUDA runtime that the process has loaded; 0 if there is none, or if it is
/// linked statically.
int runtimeMajor()
{
    Path path{};
    dl_iterate_phdr(&copyRuntimePath, &path);
    const int named = majorIn(fileNameOf(path.data()));
    std::error_code error;
    return named != 0 ? named : majorIn(std::filesystem::canonical(path.data(), error).filename().string());
}

constexpr int kNewestKnown = 13;
constexpr int kOldestKnown = 11;

/// Returns the file name of CUPTI for a CUDA version; that of CUDA 11 contains the minor version.
std::vector<std::string> namesOf(int major)
{
    if (major != kOldestKnown) {
        return {"libcupti.so." + std::to_string(major)};
    }
    std::vector<std::string> names;
    constexpr int kLastMinor = 8;
    for (int minor = kLastMinor; minor >= 0; --minor) {
        names.push_back("libcupti.so.11." + std::to_string(minor));
    }
    return names;
}

std::vector<std::string> namesOfAll()
{
    std::vector<std::string> names;
    for (int major = kNewestKnown; major >= kOldestKnown; --major) {
        const std::vector<std::string> more = namesOf(major);
        names.insert(names.end(), more.begin(), more.end());
    }
    return names;
}

void* openFirst(const std::vector<std::string>& names, int flags)
{
    for (const std::string& name : names) {
        if (void* const library = dlopen(name.c_str(), flags); library != nullptr) {
            return library;
        }
    }
    return nullptr;
}

void* openLibrary(int major)
{
    std::vector<std::string> known = namesOfAll();
    known.emplace_back("libcupti.so");
    const std::vector<std::string> wanted = major != 0 ? namesOf(major) : known;
    void* library = openFirst(wanted, RTLD_NOW | RTLD_NOLOAD);
    library = library != nullptr ? library : openFirst(known, RTLD_NOW | RTLD_NOLOAD);
    return library != nullptr ? library : openFirst(wanted, RTLD_NOW);
}

/// CUDA 13 and later: 13.0.1 is 130001. Earlier ones counted releases, of which none came near this.
constexpr std::uint32_t kPerMajor = 10'000;

int majorOf(std::uint32_t cuptiVersion)
{
    return static_cast<int>(cuptiVersion / kPerMajor);
}

/// A new major version of CUDA may change records, so that reading them as older ones would give wrong times.
std::string whyNewer(int major)
{
    return "CUPTI " + std::to_string(major) +
           " is newer than this Ringside, which reads the records of CUPTI " + std::to_string(kOldestKnown) +
           " to " + std::to_string(kNewestKnown) +
           ": use a newer Ringside, or record with --cuda-events, which times NCCL's calls";
}

} // namespace

bool CuptiLibrary::load()
{
    const int major = runtimeMajor();
    if (major > kNewestKnown) {
        m_reason = whyNewer(major);
        return false;
    }
    void* const library = openLibrary(major);
    if (library == nullptr) {
        const std::string wanted = major != 0 ? namesOf(major).front() : "libcupti";
        m_reason = wanted + " was not found" +
                   (major != 0 ? ", which belongs to the program's CUDA runtime" : "") +
                   ": put its folder into LD_LIBRARY_PATH (extras/CUPTI/lib64 of the toolkit)";
        return false;
    }
    bool complete = true;
// NOLINTBEGIN(bugprone-macro-parentheses): the member is assigned to
#define RS_CUPTI(member, name, parameters)                                                                   \
    member = reinterpret_cast<decltype(member)>(dlsym(library, #name));                                      \
    if (member == nullptr) {                                                                                 \
        m_reason = "libcupti has no " #name;                                                                 \
        complete = false;                                                                                    \
    }
    RINGSIDE_CUPTI_FUNCTIONS(RS_CUPTI)
#undef RS_CUPTI
#define RS_CUPTI(member, name, parameters) member = reinterpret_cast<decltype(member)>(dlsym(library, #name));
    RINGSIDE_CUPTI_NEWER_FUNCTIONS(RS_CUPTI)
#undef RS_CUPTI
    // NOLINTEND(bugprone-macro-parentheses)
    std::uint32_t version = 0;
    if (complete && getVersion(&version) == cupti::kSuccess && majorOf(version) > kNewestKnown) {
        m_reason = whyNewer(majorOf(version));
        return false;
    }
    return complete;
}

bool isCudaLoaded()
{
    // Uses dl_iterate_phdr, because dlopen waits for libraries that are being initialised. A program with a
    // statically linked runtime loads the driver when it first uses it.
    return dl_iterate_phdr(
               [](dl_phdr_info* info, std::size_t, void*) {
                   const std::string_view path(info->dlpi_name);
                   return isRuntime(path) || fileNameOf(path).starts_with("libcuda.so") ? 1 : 0;
               },
               nullptr) != 0;
}

namespace {

const char* meaningOf(cupti::Result result)
{
    switch (result) {
    case cupti::kMultipleSubscribers:
        return "another tool holds CUPTI (the PyTorch profiler, Nsight Systems or Compute)";
    case 15:
        return "CUPTI cannot start: the driver is too old, or there is none";
    case 33:
    case 40:
        return "CUPTI does not work on this virtual GPU";
    case 35:
        return "CUPTI is refused for lack of privileges: see ERR_NVGPUCTRPERM in NVIDIA's documentation";
    case 41:
        return "CUPTI does not work under confidential computing";
    case 42:
        return "CUPTI does not work on this mining GPU";
    case 43:
        return "CUPTI does not work in this MIG configuration";
    case 45:
        return "CUPTI does not work in this WSL configuration";
    case 999:
        return "CUPTI reports an unknown error: there is no driver";
    default:
        return "CUPTI refused";
    }
}

} // namespace

std::string cuptiFailure(cupti::Result result)
{
    return std::string(meaningOf(result)) + " (CUPTI error " + std::to_string(result) + ")";
}

} // namespace ringside::collector
