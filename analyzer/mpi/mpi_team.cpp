// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_team.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>

namespace ringside::mpi {
namespace {

constexpr int kRecords = 1; ///< tag of messages

/// Returns how many processes a launcher says that it started; null if no launcher did.
std::optional<std::string> launchedProcesses()
{
    constexpr std::array kNames{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (const char* const name : kNames) {
        if (const char* const value = std::getenv(name)) { // NOLINT: before any thread starts
            return std::string(value);
        }
    }
    return std::nullopt;
}

} // namespace

MpiTeam::MpiTeam(int& count, char**& arguments)
{
    int granted = 0;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &granted); // other threads analyze
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    m_rank = static_cast<std::size_t>(rank);
    m_size = static_cast<std::size_t>(size);
    const auto launched = launchedProcesses();
    if (size == 1 && launched && *launched != "1") {
        MPI_Finalize();
        throw Error(ErrorCode::Usage,
                    fmt::format("the launcher started {} processes, but MPI sees only this one", *launched),
                    "The launcher and this program's MPI speak different protocols. With Slurm, use srun "
                    "--mpi=pmix; else use the mpirun of Open MPI.");
    }
}

MpiTeam::~MpiTeam()
{
    constexpr int kFailed = 3;
    if (m_abandoned) { // the others wait for this process
        MPI_Abort(MPI_COMM_WORLD, kFailed);
    }
    MPI_Finalize();
}

/// Processes that fail alike all come here. One that fails alone does not find the others: these wait for it
/// in a call of MPI, or would work in vain.
void MpiTeam::end(bool failed)
{
    constexpr int kLooks = 100;
    constexpr std::chrono::milliseconds kPause(100);
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    int done = 0;
    for (int i = 0; failed && !m_abandoned && done == 0 && i < kLooks; ++i) {
        MPI_Test(&all, &done, MPI_STATUS_IGNORE);
        std::this_thread::sleep_for(kPause);
    }
    m_abandoned = m_abandoned || (failed && done == 0);
    if (!m_abandoned && done == 0) {
        // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): it does not know MPI_Ibarrier
        MPI_Wait(&all, MPI_STATUS_IGNORE);
    }
}

std::uint64_t MpiTeam::agree(std::uint64_t value)
{
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
}

/// A record has 124 bytes a rank and step and is far smaller than MPI's limit of 2 GiB a message.
void MpiTeam::send(const std::string& bytes)
{
    if (bytes.size() > std::numeric_limits<int>::max()) {
        throw Error(ErrorCode::Usage, "a stretch is too long to be sent", "Give less --memory.");
    }
    MPI_Ssend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, kRecords, MPI_COMM_WORLD);
}

std::string MpiTeam::receive(std::size_t from)
{
    MPI_Status status;
    MPI_Probe(static_cast<int>(from), kRecords, MPI_COMM_WORLD, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    MPI_Recv(bytes.data(), count, MPI_BYTE, static_cast<int>(from), kRecords, MPI_COMM_WORLD, &status);
    return bytes;
}

} // namespace ringside::mpi
