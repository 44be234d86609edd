// SPDX-License-Identifier: Apache-2.0
// What a kernel's record of CUPTI costs the drain thread, from CUPTI's buffer to a closed trace. CPU time of
// one thread. Names and launch configurations repeat, but in no fixed order.
//   device_cost FILE [RECORDS]
#include "device/activity_reader.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace cupti = ringside::collector::cupti;
namespace trace = ringside::trace;

constexpr std::size_t kRecordBytes = 216; // CUpti_ActivityKernel10
constexpr std::size_t kBufferRecords = 1U << 14U;
constexpr std::uint64_t kNames = 37;
constexpr std::uint64_t kShapesOfName = 8;
constexpr std::uint64_t kStartNs = 1'000'000'000'000;

double cpuNs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

int nextRecord(std::uint8_t* buffer, std::size_t validBytes, cupti::Activity** record)
{
    auto* at = reinterpret_cast<std::uint8_t*>(*record);
    at = at == nullptr ? buffer : at + kRecordBytes;
    *record = reinterpret_cast<cupti::Activity*>(at);
    return at < buffer + validBytes ? 0 : 12;
}

int getVersion(std::uint32_t* version)
{
    *version = 130000;
    return 0;
}

/// Fills buffers with kernels, as a training step has them.
class Kernels {
public:
    Kernels()
    {
        for (std::uint64_t i = 0; i < kNames; ++i) {
            m_names.push_back("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctor" +
                              std::to_string(i) + "EEEviT0_T1_");
        }
    }

    void fill(std::vector<std::uint8_t>& buffer)
    {
        for (std::size_t i = 0; i < kBufferRecords; ++i) {
            const cupti::Kernel kernel = next();
            std::memcpy(buffer.data() + i * kRecordBytes, &kernel, sizeof kernel);
        }
    }

private:
    cupti::Kernel next()
    {
        m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
        const std::uint64_t drawn = m_state >> 40U;
        cupti::Kernel kernel{};
        kernel.kind = cupti::kKindConcurrentKernel;
        m_nowNs += 8'000 + drawn % 512;
        kernel.start = m_nowNs;
        kernel.end = m_nowNs + 5'000 + drawn % 1'024;
        kernel.streamId = 7;
        kernel.correlationId = ++m_correlation;
        kernel.name = m_names[drawn % kNames].c_str();
        kernel.grid[0] = static_cast<std::int32_t>(64 << (drawn / kNames % kShapesOfName));
        kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
        kernel.block[0] = 128;
        kernel.registersPerThread = 32;
        return kernel;
    }

    std::vector<std::string> m_names;
    std::uint64_t m_state = 1;
    std::uint64_t m_nowNs = kStartNs;
    std::uint32_t m_correlation = 0;
};

double readAll(const std::filesystem::path& file, std::uint64_t buffers)
{
    ringside::collector::CuptiLibrary library;
    library.nextRecord = &nextRecord;
    library.getVersion = &getVersion;
    const ringside::collector::ThreadIds threads;
    trace::Writer writer(file, trace::Writer::Mode::Create);
    ringside::collector::ActivityReader reader(library, writer, threads);
    reader.addClock({kStartNs, 5'000'000'000, kStartNs});
    reader.addClock({kStartNs + 1'000'000'000, 6'000'000'000, kStartNs + 1'000'000'000});
    Kernels kernels;
    std::vector<std::uint8_t> buffer(kBufferRecords * kRecordBytes);
    double spent = 0;
    for (std::uint64_t i = 0; i < buffers; ++i) {
        kernels.fill(buffer);
        const double start = cpuNs();
        reader.read(buffer.data(), buffer.size());
        writer.commit();
        spent += cpuNs() - start;
    }
    const double start = cpuNs();
    writer.close();
    return spent + cpuNs() - start;
}

} // namespace

int main(int count, char** arguments)
try {
    if (count < 2) {
        std::fprintf(stderr, "usage: device_cost FILE [RECORDS]\n");
        return 2;
    }
    const std::filesystem::path file = arguments[1];
    const std::uint64_t wanted = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 4'000'000;
    const std::uint64_t buffers = wanted / kBufferRecords;
    std::filesystem::remove(file);
    const double records = static_cast<double>(buffers * kBufferRecords);
    const double spent = readAll(file, buffers);
    std::printf("kernel records of CUPTI to a closed trace    %8.1f ns %8.2f bytes on disk a record\n",
                spent / records, static_cast<double>(std::filesystem::file_size(file)) / records);
    std::filesystem::remove(file);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "device_cost: %s\n", error.what());
    return 1;
}
