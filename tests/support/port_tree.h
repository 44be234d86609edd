// SPDX-License-Identifier: Apache-2.0
// A tree like /sys with RDMA devices in it, of the test's own making.
#pragma once
#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace ringside::test {

class PortTree final {
public:
    [[nodiscard]] std::string root() const { return m_root.path().string(); }
    [[nodiscard]] std::filesystem::path device(const std::string& device) const
    {
        return m_root / "class/infiniband" / device;
    }
    [[nodiscard]] std::filesystem::path port(const std::string& name, int number = 1) const
    {
        return device(name) / "ports" / std::to_string(number);
    }
    /// A file of the port's folder, such as "counters/link_downed".
    void write(const std::string& name, const std::string& file, const std::string& text,
               int number = 1) const
    {
        put(port(name, number) / file, text);
    }
    static void put(const std::filesystem::path& path, const std::string& text)
    {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << "\n";
    }
    /// A port that is up, without counters.
    void add(const std::string& name, const std::string& rate = "200 Gb/sec (4X HDR)",
             const std::string& layer = "InfiniBand", int number = 1) const
    {
        write(name, "state", "4: ACTIVE", number);
        write(name, "phys_state", "5: LinkUp", number);
        write(name, "rate", rate, number);
        write(name, "link_layer", layer, number);
    }

private:
    TemporaryDirectory m_root;
};

} // namespace ringside::test
