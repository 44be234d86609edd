// SPDX-License-Identifier: Apache-2.0
// A team whose processes an MPI launcher started. Only this room uses MPI.
#pragma once
#include "stretches/team.h"

namespace ringside::mpi {

/// MPI is usable from the first to the last line of an object's life. There can be one of it. Only the thread
/// that made it may call it.
class MpiTeam final : public stretches::Team {
public:
    /// Throws ringside::Error (Usage) if a launcher started several processes of which MPI sees only one.
    MpiTeam(int& count, char**& arguments);
    ~MpiTeam() override;
    MpiTeam(const MpiTeam&) = delete;
    MpiTeam& operator=(const MpiTeam&) = delete;

    [[nodiscard]] std::size_t rank() const override { return m_rank; }
    [[nodiscard]] std::size_t size() const override { return m_size; }
    [[nodiscard]] std::uint64_t agree(std::uint64_t value) override;
    void send(const std::string& bytes) override;
    [[nodiscard]] std::string receive(std::size_t from) override;
    void abandon() override { m_abandoned = true; }
    /// The command ended. If it failed in this process alone, the others may wait for it: they are ended.
    void end(bool failed);

private:
    bool m_abandoned = false; ///< the destructor ends all processes
    std::size_t m_rank = 0;
    std::size_t m_size = 1;
};

} // namespace ringside::mpi
