// SPDX-License-Identifier: Apache-2.0
// What sampling RDMA ports costs: CPU time a second of one thread that reads a tree of 16 ports in memory as
// the collector does, and of readings without a pause. Sysfs alone: neither libibverbs nor netlink knows
// these ports, and no firmware answers. Usage: port_cost [SECONDS]
#include "sampled/rdma.h"
#include "support/port_tree.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace ringside::collector::sampled;

constexpr int kPorts = 16;

/// What an mlx5 port over InfiniBand has of what is read, below a path as long as real ones.
void addPort(const ringside::test::PortTree& tree, int number)
{
    const std::string name = "mlx5_" + std::to_string(number);
    const std::string place = "devices/pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0/infiniband/";
    std::filesystem::create_directories(tree.root() + "/class/infiniband");
    std::filesystem::create_directories(tree.root() + "/" + place + name);
    std::filesystem::create_directory_symlink("../../" + place + name, tree.device(name));
    tree.add(name, "400 Gb/sec (4X NDR)");
    struct Counter {
        const char* folder;
        const char* file;
    };
    constexpr Counter kCounters[] = {
#define RINGSIDE_PORT_COUNTER(folder, file, metric, bits, unit, pace) {folder, file},
#include "host/rdma/counters.def"
    };
    constexpr std::ptrdiff_t kOfMlx5 = 17 + 16; // the first two groups of the table
    std::for_each_n(std::begin(kCounters), kOfMlx5, [&](const Counter& each) {
        tree.write(name, std::string(each.folder) + "/" + each.file, "123456");
    });
}

double cpuMs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// CPU time of one reading, or of one look for events.
double read(Rdma& source, Readings& readings, Pace pace)
{
    const double before = cpuMs();
    readings.clear();
    source.read(readings, pace);
    readings.endMoment();
    return cpuMs() - before;
}

void print(const char* what, std::vector<double> costs)
{
    std::sort(costs.begin(), costs.end());
    double sum = 0;
    for (const double each : costs) {
        sum += each;
    }
    std::printf("%s: mean %.3f ms, median %.3f, from %.3f to %.3f (%zu times)\n", what,
                sum / static_cast<double>(costs.size()), costs[costs.size() / 2], costs.front(), costs.back(),
                costs.size());
}

} // namespace

int main(int count, char** arguments)
{
    const int seconds = count > 1 ? std::atoi(arguments[1]) : 30;
    const ringside::test::PortTree tree;
    for (int number = 0; number < kPorts; ++number) {
        addPort(tree, number);
    }
    Rdma source(tree.root());
    Readings readings;
    read(source, readings, Pace::OnceASecond); // finds them
    read(source, readings, Pace::OnceASecond); // and looks for libibverbs
    constexpr int kTicks = 10;
    constexpr useconds_t kTickUs = 100'000;
    std::vector<double> paced;
    std::vector<double> readingsOnly;
    for (int second = 0; second < seconds; ++second) {
        readingsOnly.push_back(read(source, readings, Pace::OnceASecond));
        double cost = readingsOnly.back();
        for (int tick = 1; tick < kTicks; ++tick) {
            usleep(kTickUs);
            cost += read(source, readings, Pace::EveryTick);
        }
        usleep(kTickUs);
        paced.push_back(cost);
    }
    std::vector<double> dense;
    for (int reading = 0; reading < 200; ++reading) {
        dense.push_back(read(source, readings, Pace::OnceASecond));
    }
    std::printf("%d ports, %zu values a reading\n", kPorts, readings.values().size());
    if (!paced.empty()) {
        print("a reading, once a second", readingsOnly);
        print("with nine looks for events", paced);
    }
    print("a reading without a pause before it", dense);
    source.close();
    return 0;
}
