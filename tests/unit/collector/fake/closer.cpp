// SPDX-License-Identifier: Apache-2.0
// The program of descriptors_test: it closes every descriptor that it did not open itself, like daemons and
// programs with a double close, and meanwhile writes files of known content. Any other content in them comes
// from another writer. Prints nothing that depends on timing.
#include "api.h"
#include "closer_table.h"
#include "closer_text.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using ringside::test::CloserTable;
using ringside::test::closerText;
using ringside::test::communicator;
using ringside::test::expect;
using ringside::test::reduce;

namespace {

const char* g_folder = nullptr;
std::atomic<long> g_calls{0};

std::string pathOf(const std::string& name)
{
    return std::string(g_folder) + "/" + name;
}

std::string contentOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::mutex g_mutex;
CloserTable g_table;

/// A file that is written in pieces, and read again before it is begun anew.
class OwnFile final {
public:
    explicit OwnFile(const std::string& name) : m_name(name) {}
    void step(std::mt19937& random)
    {
        if (m_number < 0) {
            m_number = g_table.open(pathOf(m_name));
            m_text = closerText(m_name, ++m_round);
            m_written = 0;
        }
        const std::size_t bytes = std::min<std::size_t>(1 + random() % 5000, m_text.size() - m_written);
        expect(::write(m_number, m_text.data() + m_written, bytes) == static_cast<ssize_t>(bytes));
        m_written += bytes;
        if (m_written == m_text.size()) {
            finish();
        }
    }
    void finish()
    {
        if (m_number >= 0) {
            g_table.close(m_number);
            m_number = -1;
            expect(contentOf(pathOf(m_name)) == m_text.substr(0, m_written));
        }
    }
    void complete(std::mt19937& random)
    {
        while (m_number >= 0) {
            step(random);
        }
    }

private:
    std::string m_name;
    int m_number = -1;
    int m_round = 0;
    std::string m_text;
    std::size_t m_written = 0;
};

/// Nobody else reads from it or writes into it.
void usePipe()
{
    std::array<int, 2> ends{};
    g_table.openPipe(ends);
    expect(::write(ends[1], "mine", 4) == 4);
    std::this_thread::yield();
    int waiting = 0;
    expect(ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting == 4);
    g_table.close(ends[0]);
    g_table.close(ends[1]);
}

void work(unsigned seed, std::chrono::steady_clock::time_point until)
{
    constexpr int kHighest = 48;
    std::mt19937 random(seed);
    std::vector<OwnFile> files;
    for (int index = 0; index < 4; ++index) {
        files.emplace_back("worker" + std::to_string(seed) + "." + std::to_string(index));
    }
    while (std::chrono::steady_clock::now() < until) {
        {
            const std::scoped_lock lock(g_mutex);
            const int number = 3 + static_cast<int>(random() % kHighest);
            switch (random() % 8) {
            case 0:
                g_table.closeOther(number);
                break;
            case 1:
                g_table.replaceOther(number, STDERR_FILENO);
                break;
            case 2:
                g_table.closeAllOthers();
                break;
            case 3:
                usePipe();
                break;
            default:
                files[random() % files.size()].step(random);
                break;
            }
        }
        if (random() % 16 == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        }
    }
    const std::scoped_lock lock(g_mutex);
    for (OwnFile& file : files) {
        file.complete(random);
    }
}

void call(ncclComm_t comm, std::chrono::steady_clock::time_point until)
{
    while (std::chrono::steady_clock::now() < until) {
        for (int index = 0; index < 50; ++index) {
            expect(reduce(comm, 1) == ncclSuccess);
        }
        g_calls += 50;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// More and more threads at once, so that rings are made all the time until there is no room.
void callFromNewThreads(ncclComm_t comm, std::chrono::steady_clock::time_point until)
{
    for (std::size_t count = 1; std::chrono::steady_clock::now() < until; count = count % 24 + 1) {
        std::vector<std::thread> threads(count);
        for (std::thread& thread : threads) {
            thread = std::thread([&] {
                expect(reduce(comm, 1) == ncclSuccess);
                ++g_calls;
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
}

int tell(ncclComm_t comm)
{
    ncclCommDestroy(comm);
    std::ofstream(pathOf("calls")) << g_calls;
    std::printf("wrong: %d\n", ringside::test::g_wrong.load());
    return 0;
}

// Threads close, replace and open descriptors at random, from before the recording begins until its end.
int random()
{
    const char* seconds = std::getenv("RINGSIDE_TEST_CLOSER_SECONDS");
    const auto until = std::chrono::steady_clock::now() +
                       std::chrono::milliseconds(seconds != nullptr ? std::atol(seconds) * 1000 : 1000);
    std::vector<std::thread> threads;
    for (unsigned worker = 1; worker <= 3; ++worker) {
        threads.emplace_back(work, worker, until);
    }
    ncclComm_t comm = communicator();
    threads.emplace_back(call, comm, until);
    threads.emplace_back(callFromNewThreads, comm, until);
    for (std::thread& thread : threads) {
        thread.join();
    }
    return tell(comm);
}

void callFor(ncclComm_t comm, int milliseconds)
{
    call(comm, std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds));
}

// A few files in place of those that the collector had, kept open until the end.
int closesAll()
{
    ncclComm_t comm = communicator();
    callFor(comm, 600);
    for (int number = 3; number < 1024; ++number) {
        close(number);
    }
    std::array<int, 20> files{};
    for (std::size_t index = 0; index < files.size(); ++index) {
        files[index] = open(pathOf("checkpoint" + std::to_string(index)).c_str(), O_RDWR | O_CREAT, 0600);
        expect(write(files[index], "mine", 4) == 4);
    }
    callFor(comm, 1200);
    for (std::size_t index = 0; index < files.size(); ++index) {
        expect(close(files[index]) == 0);
        expect(contentOf(pathOf("checkpoint" + std::to_string(index))) == "mine");
    }
    return tell(comm);
}

// Number 2 becomes a file of the program: what the collector has to say is not for it.
int closesStandard()
{
    ncclComm_t comm = communicator();
    callFor(comm, 300);
    const int output = dup(STDOUT_FILENO);
    for (const int number : {0, 1, 2}) {
        close(number);
    }
    for (const char* name : {"first", "second", "third"}) {
        const int file = open(pathOf(name).c_str(), O_RDWR | O_CREAT, 0600);
        expect(write(file, "mine", 4) == 4);
    }
    callFor(comm, 600);
    ncclCommDestroy(comm);
    std::ofstream(pathOf("calls")) << g_calls;
    const std::string told = "wrong: " + std::to_string(ringside::test::g_wrong) + "\n";
    return write(output, told.data(), told.size()) > 0 ? 0 : 3;
}

/// Whether another process would find SQLite's lock on its shared memory (the byte that says that it is in
/// use).
bool isLocked(const std::filesystem::path& sharedMemory)
{
    const pid_t child = fork();
    if (child == 0) {
        struct flock inUse {};
        inUse.l_type = F_WRLCK;
        inUse.l_start = 128;
        inUse.l_len = 1;
        const int file = open(sharedMemory.c_str(), O_RDWR);
        _exit(file >= 0 && fcntl(file, F_GETLK, &inUse) == 0 && inUse.l_type != F_UNLCK ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

// As a program that saves the folder of its results, in which the run lies.
int copiesRun()
{
    ncclComm_t comm = communicator();
    callFor(comm, 500);
    int locks = 0;
    for (const auto& file : std::filesystem::directory_iterator(std::getenv("RINGSIDE_DIR"))) {
        contentOf(file.path());
        if (file.path().string().ends_with("-shm")) {
            expect(isLocked(file.path()));
            ++locks;
        }
    }
    expect(locks == 1);
    callFor(comm, 300);
    return tell(comm);
}

// A descriptor that the program closes is closed: whoever waits for its end gets it while the recording goes
// on.
int letsGoOn()
{
    alarm(20); // a copy of ours would keep it waiting
    std::array<int, 2> ends{};
    expect(pipe(ends.data()) == 0);
    ncclComm_t comm = communicator();
    callFor(comm, 300);
    char byte = 0;
    close(ends[1]);
    expect(read(ends[0], &byte, 1) == 0);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    expect(read(STDIN_FILENO, &byte, 1) == 1); // from who waits for the end of stderr
    return tell(comm);
}

int letsGo()
{
    std::array<int, 2> errors{};
    std::array<int, 2> answer{};
    expect(pipe(errors.data()) == 0 && pipe(answer.data()) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(errors[1], STDERR_FILENO);
        dup2(answer[0], STDIN_FILENO);
        for (const int number : {errors[0], errors[1], answer[0], answer[1]}) {
            close(number);
        }
        execl("/proc/self/exe", "recorded_closer", "lets_go_on", g_folder, nullptr);
        _exit(3);
    }
    close(errors[1]);
    close(answer[0]);
    char byte = 0;
    while (read(errors[0], &byte, 1) > 0) {
    }
    expect(write(answer[1], "x", 1) == 1);
    int status = -1;
    waitpid(child, &status, 0);
    return ringside::test::g_wrong == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

} // namespace

int main(int argc, char** argv)
{
    const std::map<std::string_view, int (*)()> scenarios{
        {"random", random},        {"closes_all", closesAll}, {"closes_standard", closesStandard},
        {"copies_run", copiesRun},

        {"lets_go", letsGo},       {"lets_go_on", letsGoOn}};
    const auto found = argc > 2 ? scenarios.find(argv[1]) : scenarios.end();
    if (found == scenarios.end()) {
        return 2;
    }
    g_folder = argv[2];
    return found->second();
}
