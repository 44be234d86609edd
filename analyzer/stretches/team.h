// SPDX-License-Identifier: Apache-2.0
// Processes that analyze the stretches of one run together. This room knows no MPI: analyzer/mpi implements
// it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace ringside::stretches {

class Team {
public:
    Team() = default;
    virtual ~Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    [[nodiscard]] virtual std::size_t rank() const = 0; ///< of this process; 0 writes the report
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Returns the value that process 0 gave. All processes must call it.
    [[nodiscard]] virtual std::uint64_t agree(std::uint64_t value) = 0;
    /// Sends bytes to process 0. Returns when process 0 takes them.
    virtual void send(const std::string& bytes) = 0;
    /// Returns the next bytes that a process sent. Only process 0 may call it.
    [[nodiscard]] virtual std::string receive(std::size_t from) = 0;
    /// Process 0 failed and will receive nothing more: the others must not wait for it when it ends.
    virtual void abandon() = 0;
};

} // namespace ringside::stretches
