// SPDX-License-Identifier: Apache-2.0
#include "cli/host_watch.h"

#include "attach/host_view.h"
#include "cli/attached_hang.h"
#include "cli/command.h"
#include "cli/live_ports.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "cli/text_file.h"
#include "host/monotonic.h"
#include "host/process.h"
#include "report/report.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace ringside::cli {
namespace {

using namespace std::chrono_literals;

/// Keeps the readings of ports, so that counters show what they gained.
class Machine final {
public:
    explicit Machine(std::string dcgmFile) : m_dcgmFile(std::move(dcgmFile)), m_ports(sysfsRoot())
    {
        readPorts();
    }

    [[nodiscard]] attach::HostView look()
    {
        attach::HostView view;
        view.host = host::hostName();
        attach::readMachine(view);
        view.gpus = askForGpus();
        view.processes = attach::processesOfHost(view.gpus);
        if (!m_dcgmFile.empty()) {
            view.dcgm = attach::parseDcgmText(readText(m_dcgmFile));
        }
        readPorts();
        if (m_ports.areThere()) {
            view.ports = report::buildReport(m_ports.run(), {});
        }
        return view;
    }

private:
    void readPorts()
    {
        if (m_ports.areThere()) {
            m_ports.read(host::monotonicNs());
        }
    }

    std::string m_dcgmFile;
    LivePorts m_ports;
};

} // namespace

int printHost(bool json, const std::string& dcgmFile)
{
    Machine machine(dcgmFile);
    std::this_thread::sleep_for(1s); // counters of ports need two readings
    const attach::HostView view = machine.look();
    printResult(json ? attach::formatJson(view) : attach::formatText(view));
    return kPass;
}

int watchHost(const std::string& dcgmFile)
{
    Machine machine(dcgmFile);
    const bool refresh = obeysEscapes(STDOUT_FILENO);
    for (;;) {
        printResult((refresh ? "\x1b[H\x1b[2J" : "") + attach::formatText(machine.look()));
        std::fflush(stdout);
        std::this_thread::sleep_for(2s);
    }
}

} // namespace ringside::cli
