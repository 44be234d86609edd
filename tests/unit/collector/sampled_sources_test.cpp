// SPDX-License-Identifier: Apache-2.0
// The sources of the sampled tier on files and calls of the test's own making, the lock that makes one
// process of a machine sample it, and the sampler's thread.
#include "record/level.h"
#include "record/registry.h"
#include "sampled/host_network.h"
#include "sampled/host_process.h"
#include "sampled/network.h"
#include "sampled/once_a_host.h"
#include "sampled/pause.h"
#include "sampled/sampler.h"
#include "trace/ports/watched_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <stdexcept>
#include <thread>

namespace {

using namespace ringside::collector;
using namespace ringside::collector::sampled;
using ringside::ports::WatchedDescriptor;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Folder {
    Folder()
    {
        std::string pattern = (fs::temp_directory_path() / "ringside-sampled-XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path path;
};

struct Memory {
    explicit Memory(std::size_t slots) : words((4096 + slots * 32) / 8) {}
    std::vector<std::uint64_t> words;
    Ring ring{std::as_writable_bytes(std::span(words)), ""};
    [[nodiscard]] std::uint64_t head() { return ring.header().head.load(); }
};

// ---- descriptors ----

TEST(WatchedDescriptor, isNotOursAfterTheProgramHasClosedIt)
{
    const Folder folder;
    std::ofstream(folder.path / "theirs") << "theirs";
    const int number = open("/dev/null", O_RDWR);
    const WatchedDescriptor watched(number);
    EXPECT_TRUE(watched.isOurs());
    close(number);
    EXPECT_FALSE(watched.isOurs());
    const int theirs = open((folder.path / "theirs").c_str(), O_RDONLY);
    ASSERT_EQ(dup2(theirs, number), number);
    EXPECT_FALSE(watched.isOurs()) << "its number stands for another file now";
    close(number);
    if (theirs != number) {
        close(theirs);
    }
}

// ---- the host's network ----

/// Trees like /sys and /proc.
struct Machine {
    void put(const std::string& file, const std::string& text) const
    {
        fs::create_directories((folder.path / file).parent_path());
        std::ofstream(folder.path / file) << text;
    }
    [[nodiscard]] std::string sys() const { return (folder.path / "sys").string(); }
    [[nodiscard]] std::string proc() const { return (folder.path / "proc").string(); }
    Folder folder;
};

/// By source and name.
std::map<std::string, std::string> settingsOf(const Readings& readings)
{
    std::map<std::string, std::string> all;
    for (const auto& row : readings.settings()) {
        all[row.source + " " + row.name] = row.value;
    }
    return all;
}

TEST(HostNetworkSource, tellsOnceWhatTheNetworkIsAndCountsFromThenOn)
{
    const Machine machine;
    machine.put("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 1000 7\n");
    machine.put("proc/net/netstat", "TcpExt: TCPTimeouts TCPDSACKRecvSegs\nTcpExt: 3 2\n");
    machine.put("proc/net/route", "Iface\tDestination\neth0\t00000000\n");
    machine.put("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
    machine.put("sys/class/net/eth0/speed", "25000\n");
    machine.put("sys/class/net/eth0/device/numa_node", "-1\n");
    machine.put("sys/module/nvidia_peermem/version", "1\n");
    HostNetwork source(machine.sys(), machine.proc());
    source.open();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_EQ(settingsOf(readings),
              (std::map<std::string, std::string>{{"network eth0 speed_mbps", "25000"},
                                                  {"network eth0 physical", "yes"},
                                                  {"network eth0 default_route", "yes"},
                                                  {"kernel net.ipv4.tcp_rmem", "4096 131072 6291456"},
                                                  {"machine gpu_direct", "nvidia_peermem"}}));
    ASSERT_EQ(readings.values().size(), 4U);
    EXPECT_STREQ(readings.values()[1].series->metric, "tcp_segments_sent_again");
    EXPECT_EQ(readings.values()[1].value, 7);
    EXPECT_STREQ(readings.values()[2].series->metric, "tcp_segments_sent_again_needlessly");
    EXPECT_EQ(readings.values()[2].value, 2);
    ASSERT_EQ(readings.missing().size(), 1U);
    EXPECT_STREQ(readings.missing()[0]->metric, "tcp_receive_drops");
    readings.clear();
    source.read(readings, Pace::OnceASecond);
    EXPECT_TRUE(readings.settings().empty());
    source.read(readings, Pace::EveryTick);
    EXPECT_EQ(readings.values().size(), 4U) << "once a second";
}

TEST(HostNetworkSource, hostileFilesAreNothing)
{
    const Machine machine;
    machine.put("proc/net/snmp", std::string(100'000, 'T'));
    machine.put("proc/net/netstat", std::string("\0\xff\n", 3));
    machine.put("proc/sys/net/ipv4/tcp_rmem", std::string(10'000, '9'));
    machine.put("proc/driver/nvidia/version", "");
    machine.put("sys/class/net/eth0/speed", "-1\n");
    machine.put("sys/class/net/eth0/operstate", "");
    machine.put("sys/class/net/bonding_masters", "bond0\n");
    HostNetwork source(machine.sys(), machine.proc());
    source.open();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_TRUE(readings.values().empty());
    EXPECT_EQ(settingsOf(readings), (std::map<std::string, std::string>{{"network eth0 physical", "no"}}));
}

TEST(HostNetworkSource, whatIsNotThereIsNotTold)
{
    const Machine machine;
    HostNetwork source(machine.sys(), machine.proc());
    source.open();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_TRUE(readings.settings().empty());
    EXPECT_TRUE(readings.values().empty());
    EXPECT_EQ(readings.missing().size(), 5U);
}

// ---- cards ----

TEST(PauseSource, asksCardsNowAndThenAndThoseThatRefuseOnce)
{
    const Machine machine;
    for (const char* const card : {"eth0", "eth1", "eth2"}) {
        machine.put("sys/class/net/" + std::string(card) + "/device/vendor", "0x15b3\n");
    }
    machine.put("sys/class/net/br0/operstate", "up\n"); // nothing behind it
    std::map<std::string, int> asked;
    Pause source(
        machine.sys(),
        [&asked](const std::string& interface, int& error) {
            ++asked[interface];
            error = interface == "eth1" ? EPERM : 0;
            return interface == "eth0" ? CardCounters{{"rx_prio3_pause", 40}} : CardCounters{};
        },
        [](const std::string& interface) {
            return interface == "eth0" ? std::optional<std::uint8_t>(0x28) : std::nullopt;
        });
    source.open();
    Readings readings;
    constexpr int kSeconds = 25;
    for (int second = 0; second < kSeconds; ++second) {
        source.read(readings, Pace::OnceASecond);
        source.read(readings, Pace::EveryTick);
    }
    EXPECT_EQ(asked, (std::map<std::string, int>{{"eth0", 3}, {"eth1", 1}, {"eth2", 1}}));
    ASSERT_EQ(readings.settings().size(), 1U) << "once";
    EXPECT_EQ(settingsOf(readings).at("network eth0 pfc_priorities"), "3,5");
    ASSERT_EQ(readings.values().size(), 3U);
    EXPECT_EQ(readings.values()[0].series->entity, "eth0");
    EXPECT_STREQ(readings.values()[0].series->metric, "rx_pauses");
    ASSERT_EQ(readings.missing().size(), 2U);
    EXPECT_EQ(readings.missing()[0]->reason, "Operation not permitted");
}

TEST(PauseSource, aCardThatIsGoneGivesNothing)
{
    int error = 0;
    EXPECT_TRUE(readCard("no such card", error).empty());
    EXPECT_EQ(error, ENODEV);
    EXPECT_TRUE(readCard(std::string(1000, 'x'), error).empty());
}

// ---- network ----

class NetworkFiles : public testing::Test {
protected:
    void interface(const std::string& name, const std::string& state)
    {
        fs::create_directories(m_folder.path / name);
        std::ofstream(m_folder.path / name / "operstate") << state << "\n";
    }
    /// Names with their received bytes; `tail` ends the file.
    void counters(const std::vector<std::pair<std::string, std::string>>& lines, const std::string& tail = "")
    {
        std::ofstream file(m_folder.path / "dev");
        file << "Inter-|   Receive  |  Transmit\n face |bytes    packets |bytes\n";
        for (const auto& [name, bytes] : lines) {
            file << name << ": " << bytes << " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n";
        }
        file << tail;
    }
    /// Names of the interfaces that gave values.
    std::set<std::string> read(Network& network, Pace pace)
    {
        m_readings.clear();
        network.read(m_readings, pace);
        std::set<std::string> names;
        for (const auto& value : m_readings.values()) {
            names.insert(value.series->entity);
        }
        return names;
    }
    [[nodiscard]] Network network() const
    {
        return Network((m_folder.path / "dev").string(), m_folder.path.string());
    }

    Folder m_folder;
    Readings m_readings;
};

using Names = std::set<std::string>;

TEST_F(NetworkFiles, ofInterfacesThatAreUpAreRead)
{
    interface("eth0", "up");
    interface("eth1", "down");
    interface("tun0", "unknown");
    counters({{"lo", "1"}, {"eth0", "18446744073709551615"}, {"eth1", "3"}, {"tun0", "4"}});
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), (Names{"eth0", "tun0"}));
    EXPECT_EQ(m_readings.values().size(), 2U * 8);
    EXPECT_STREQ(m_readings.values()[0].series->metric, "rx_bytes");
    EXPECT_EQ(m_readings.values()[0].value, -1) << "2^64 - 1, modulo 2^64";
    EXPECT_EQ(m_readings.values()[4].value, 9) << "tx_bytes";
    EXPECT_TRUE(source.reason().empty());
}

TEST_F(NetworkFiles, theLoopbackCountsWhereItIsAlone)
{
    interface("eth0", "down");
    counters({{"lo", "1"}, {"eth0", "2"}});
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"lo"});
}

TEST_F(NetworkFiles, interfacesComeAndGo)
{
    interface("eth0", "up");
    counters({{"lo", "1"}, {"eth0", "2"}});
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"eth0"});
    interface("eth7", "up");
    counters({{"lo", "1"}, {"eth7", "2"}});
    EXPECT_EQ(read(source, Pace::EveryTick), Names{}) << "a new one is looked at once a second";
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"eth7"});
    counters({{"eth0", "3"}, {"eth7", "2"}});
    EXPECT_EQ(read(source, Pace::OnceASecond), (Names{"eth0", "eth7"}));
}

TEST_F(NetworkFiles, theRateIsWhatTheDriverTellsAndNothingWhereItDoesNot)
{
    for (const char* name : {"eth0", "eth1", "eth2"}) {
        interface(name, "up");
    }
    std::ofstream(m_folder.path / "eth0" / "speed") << "25000\n";
    std::ofstream(m_folder.path / "eth1" / "speed") << "-1\n";
    counters({{"eth0", "1"}, {"eth1", "2"}, {"eth2", "3"}});
    Network source = network();
    source.open();
    read(source, Pace::OnceASecond);
    EXPECT_EQ(std::ranges::count_if(m_readings.values(),
                                    [](const auto& each) {
                                        return each.series->entity == "eth0" &&
                                               each.series->metric == std::string("rate_mbps") &&
                                               each.value == 25000;
                                    }),
              1);
    EXPECT_EQ(m_readings.values().size(), 3U * 8 + 1);
    EXPECT_EQ(m_readings.missing().size(), 2U) << "said of those that tell none";
}

TEST_F(NetworkFiles, aLineThatIsCutIsLeftOut)
{
    interface("eth0", "up");
    interface("eth1", "up");
    counters({{"eth0", "2"}}, "eth1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 1");
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{"eth0"});
}

TEST_F(NetworkFiles, ofAContainerHostAreNotAllRead)
{
    std::vector<std::pair<std::string, std::string>> lines;
    for (int i = 0; i < 60; ++i) {
        lines.emplace_back("veth" + std::to_string(i), "1");
        interface(lines.back().first, "up");
    }
    counters(lines);
    Network source = network();
    source.open();
    EXPECT_EQ(read(source, Pace::OnceASecond).size(), 32U);
    ASSERT_EQ(m_readings.issues().size(), 1U);
    EXPECT_EQ(m_readings.issues()[0].id, "interfaces_not_sampled");
    read(source, Pace::OnceASecond);
    EXPECT_TRUE(m_readings.issues().empty()) << "said once";
}

TEST_F(NetworkFiles, thatAreMissingAreTheReason)
{
    Network source = network();
    source.open();
    EXPECT_NE(source.reason().find("No such file"), std::string::npos) << source.reason();
    EXPECT_EQ(read(source, Pace::OnceASecond), Names{});
}

// ---- process ----

std::int64_t valueOf(const Readings& readings, const std::string& metric)
{
    for (const auto& value : readings.values()) {
        if (metric == value.series->metric) {
            return value.value;
        }
    }
    return -1;
}

/// Uses so much CPU time.
void spin(std::chrono::nanoseconds length)
{
    const std::int64_t until = readClockNs(CLOCK_THREAD_CPUTIME_ID) + length.count();
    while (readClockNs(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
}

TEST(HostProcessSource, countsAThreadFromItsFirstReadingOnAndKeepsItWhenItEnds)
{
    Memory memory(4096);
    Registry registry(memory.ring);
    HostProcess source(registry);
    source.open();
    Readings readings;
    std::promise<void> finish;
    std::promise<void> worked;
    constexpr auto kBefore = 50ms;
    std::thread worker([&] {
        spin(kBefore); // nobody looks yet: not counted
        registry.addThread(1, static_cast<std::uint32_t>(gettid()), "worker");
        worked.set_value();
        finish.get_future().wait();
        spin(20ms);
    });
    worked.get_future().wait();
    source.read(readings, Pace::OnceASecond);
    EXPECT_GE(valueOf(readings, "cpu_ns"), 0);
    EXPECT_LT(valueOf(readings, "cpu_ns"), std::chrono::nanoseconds(kBefore).count());
    EXPECT_GE(valueOf(readings, "threads"), 2);
    EXPECT_GT(valueOf(readings, "rss_bytes"), 1 << 20);
    EXPECT_GT(valueOf(readings, "cpu_user_ns") + valueOf(readings, "cpu_system_ns"), 0);
    finish.set_value();
    std::this_thread::sleep_for(30ms);
    readings.clear();
    source.read(readings, Pace::EveryTick);
    const std::int64_t before = valueOf(readings, "cpu_ns");
    worker.join();
    for (int i = 0; i < 3; ++i) {
        readings.clear();
        source.read(readings, Pace::EveryTick);
        EXPECT_GE(valueOf(readings, "cpu_ns"), before) << "a counter never falls";
    }
}

TEST(HostProcessSource, takesFewDescriptorsAndSaysSo)
{
    Memory memory(4096);
    Registry registry(memory.ring);
    HostProcess source(registry);
    source.open();
    std::promise<void> finish;
    const auto finished = finish.get_future().share();
    std::vector<std::thread> crowd;
    for (std::uint32_t i = 0; i < 40; ++i) {
        std::promise<void> added;
        auto ready = added.get_future();
        crowd.emplace_back([&registry, finished, i, done = std::move(added)]() mutable {
            registry.addThread(i + 1, static_cast<std::uint32_t>(gettid()), "crowd");
            done.set_value();
            finished.wait();
        });
        ready.wait();
    }
    const auto descriptors = [] {
        return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    };
    const auto before = descriptors();
    Readings readings;
    source.read(readings, Pace::OnceASecond);
    EXPECT_EQ(descriptors() - before, 16);
    ASSERT_EQ(readings.missing().size(), 1U);
    EXPECT_NE(readings.missing()[0]->reason.find("16 threads"), std::string::npos);
    finish.set_value();
    for (std::thread& thread : crowd) {
        thread.join();
    }
    readings.clear();
    source.read(readings, Pace::EveryTick);
    EXPECT_EQ(descriptors() - before, 0) << "those of threads that ended are given back";
}

// ---- once a host ----

TEST(HostLockOfAMachine, hasOneHolderAndGoesOnWhenItDies)
{
    const Folder folder;
    const std::string path = folder.path / "host.sampler";
    int ready[2] = {};
    ASSERT_EQ(pipe(ready), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        HostLock lock(path, "host-1");
        const bool taken = lock.take();
        // A child of the owner that outlives it keeps nothing.
        if (fork() == 0) {
            sleep(5);
            _exit(0);
        }
        [[maybe_unused]] const ssize_t sent = write(ready[1], taken ? "y" : "n", 1);
        pause();
    }
    char taken = 0;
    ASSERT_EQ(read(ready[0], &taken, 1), 1);
    EXPECT_EQ(taken, 'y');
    HostLock lock(path, "host-2");
    EXPECT_FALSE(lock.take());
    EXPECT_EQ(lock.holder(), "host-1");
    fs::resize_file(path, 0);
    EXPECT_EQ(lock.holder(), "host-" + std::to_string(owner)) << "locked, and its name not written yet";
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
    EXPECT_TRUE(lock.take());
    EXPECT_TRUE(lock.take()) << "again";
    lock.release();
    EXPECT_FALSE(fs::exists(path));
}

TEST(HostLockOfAMachine, isGivenOnByOneThatFinishes)
{
    const Folder folder;
    const std::string path = folder.path / "host.sampler";
    int go[2] = {};
    int ready[2] = {};
    ASSERT_EQ(pipe(go) + pipe(ready), 0);
    const pid_t owner = fork();
    char byte = 'y';
    if (owner == 0) {
        HostLock lock(path, "host-1");
        byte = lock.take() ? 'y' : 'n';
        [[maybe_unused]] ssize_t done = write(ready[1], &byte, 1);
        done = read(go[0], &byte, 1);
        lock.release();
        _exit(0);
    }
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    HostLock lock(path, "host-2");
    EXPECT_FALSE(lock.take()); // has the owner's file open, which is about to vanish
    ASSERT_EQ(write(go[1], &byte, 1), 1);
    waitpid(owner, nullptr, 0);
    EXPECT_TRUE(lock.take());
    std::string text;
    std::ifstream(path) >> text;
    EXPECT_EQ(text, "host-2") << "the file that others find";
    lock.release();
}

TEST(HostLockOfAMachine, saysWhyItCannotBeHad)
{
    HostLock lock("/nowhere/host.sampler", "host-1");
    EXPECT_FALSE(lock.take());
    EXPECT_NE(lock.failure().find("/nowhere/host.sampler: No such file"), std::string::npos)
        << lock.failure();
}

// ---- the thread ----

/// Gives 1, 2, 3 ... and does as it is told.
class Scripted final : public Source {
public:
    [[nodiscard]] const char* name() const override { return "scripted"; }
    void open() override { ++opened; }
    void read(Readings& readings, Pace) override
    {
        ++reads;
        if (throws) {
            throw std::runtime_error("no memory left");
        }
        readings.beginMoment();
        readings.add(m_count, std::int64_t{reads});
        readings.miss(m_never, "the device has none");
        if (stuck != nullptr) {
            stuck->wait();
        }
    }
    [[nodiscard]] std::string reason() const override { return {}; }
    void close() override { ++closed; }

    std::atomic<int> opened{0};
    std::atomic<int> reads{0};
    std::atomic<int> closed{0};
    std::atomic<bool> throws{false};
    std::shared_future<void>* stuck = nullptr;

private:
    Series m_count{"thing", "readings", ringside::trace::SeriesKind::Counter};
    Series m_never{"thing", "never"};
};

struct Running {
    explicit Running(Scripted*& source, std::int64_t periodNs = 1'000'000)
    {
        auto made = std::make_unique<Scripted>();
        source = made.get();
        std::vector<std::unique_ptr<Source>> sources;
        sources.push_back(std::move(made));
        sampler = std::make_unique<Sampler>("ringside-test", std::move(sources), periodNs);
    }
    Memory definitions{4096};
    Memory samples{4096};
    Registry registry{definitions.ring};
    std::unique_ptr<Sampler> sampler;
};

template <class Condition>
void waitUntil(const Condition& condition)
{
    while (!condition()) {
        std::this_thread::sleep_for(1ms);
    }
}

TEST(SamplerThread, writesEachValueOnceInOrderAndEnds)
{
    Scripted* source = nullptr;
    Running running(source);
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    waitUntil([&] { return source->reads >= 5; });
    running.sampler->askToStop();
    ASSERT_TRUE(running.sampler->waitForEnd());
    EXPECT_EQ(source->opened, 1);
    EXPECT_EQ(source->closed, 1);
    ASSERT_EQ(running.samples.head(), static_cast<std::uint64_t>(source->reads));
    const auto* const records =
        reinterpret_cast<const ringside::trace::SampleRecord*>(running.samples.words.data() + 4096 / 8);
    for (int i = 0; i < source->reads; ++i) {
        EXPECT_EQ(records[i].value, i + 1);
        EXPECT_EQ(records[i].series, 1U);
        EXPECT_GE(records[i].ticks, i > 0 ? records[i - 1].ticks : 0);
    }
    // Two series and one reason, however often it was read.
    EXPECT_EQ(running.sampler->states()[0].reason, "");
}

TEST(SamplerThread, readsNothingWhilePaused)
{
    Scripted* source = nullptr;
    Running running(source);
    const Level before = level();
    g_gate.setLevel(Level::Paused);
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(source->reads, 0);
    g_gate.setLevel(Level::Light);
    waitUntil([&] { return source->reads > 0; });
    running.sampler->askToStop();
    EXPECT_TRUE(running.sampler->waitForEnd());
    g_gate.setLevel(before);
}

TEST(SamplerThread, survivesASourceThatFails)
{
    Scripted* source = nullptr;
    Running running(source);
    source->throws = true;
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    std::vector<ringside::trace::IssueRow> issues;
    waitUntil([&] { return !(issues = running.sampler->takeIssues()).empty(); });
    EXPECT_EQ(issues[0].id, "sampling_failed");
    EXPECT_NE(issues[0].message.find("no memory left"), std::string::npos);
    source->throws = false;
    waitUntil([&] { return running.samples.head() > 0; });
    running.sampler->askToStop();
    EXPECT_TRUE(running.sampler->waitForEnd());
}

TEST(SamplerThread, isLeftBehindInACallThatDoesNotReturn)
{
    Scripted* source = nullptr;
    Running running(source);
    std::promise<void> letGo;
    std::shared_future<void> stuck = letGo.get_future().share();
    source->stuck = &stuck;
    ASSERT_TRUE(running.sampler->start(running.samples.ring, running.registry));
    waitUntil([&] { return source->reads == 1; });
    running.sampler->askToStop();
    EXPECT_FALSE(running.sampler->waitForEnd());
    EXPECT_EQ(running.sampler->states()[0].reason, Sampler::kStuck);
    EXPECT_EQ(running.samples.head(), 0U);
    letGo.set_value(); // it comes back, late: everything it touches is still there
    waitUntil([&] { return source->closed == 1; });
    EXPECT_TRUE(running.sampler->waitForEnd());
}

} // namespace
