// SPDX-License-Identifier: Apache-2.0
// A job whose ranks do what they are told, one script each: the hangs and deaths of hang_table_test.py.
// Usage: scripted_job FOLDER SCRIPT... A script is words; hang_table.py lists them. Each rank writes the
// number of the word that it is at into FOLDER/RANK.at, so that a test need not wait for a time.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// NAME[@COMMUNICATOR][:FIRST[:SECOND]]
struct Word {
    std::string name;
    std::string communicator = "world";
    std::vector<int> values;

    explicit Word(const std::string& text)
    {
        std::stringstream parts(text);
        std::getline(parts, name, ':');
        for (std::string value; std::getline(parts, value, ':');)
            values.push_back(std::stoi(value));
        if (const std::size_t at = name.find('@'); at != std::string::npos) {
            communicator = name.substr(at + 1);
            name.resize(at);
        }
    }
    [[nodiscard]] int value(std::size_t place, int otherwise) const
    {
        return place < values.size() ? values[place] : otherwise;
    }
};

void check(ncclResult_t result)
{
    if (result != ncclSuccess)
        throw std::runtime_error(ncclGetLastError(nullptr));
}

void check(cudaError_t result)
{
    if (result != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(result));
}

void waitFor(const fs::path& file)
{
    while (!fs::exists(file))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void publish(const fs::path& file, const char* data, std::streamsize bytes)
{
    const fs::path fresh = file.string() + ".new";
    std::ofstream(fresh, std::ios::binary).write(data, bytes);
    fs::rename(fresh, file);
}

class Rank final {
public:
    Rank(fs::path folder, int rank, int size) : m_folder(std::move(folder)), m_rank(rank), m_size(size) {}

    void follow(const std::string& script)
    {
        std::istringstream words(script);
        int number = 0;
        for (std::string text; words >> text; ++number) {
            std::ofstream(m_folder / (std::to_string(m_rank) + ".at")) << number << '\n';
            obey(Word(text));
        }
        std::ofstream(m_folder / (std::to_string(m_rank) + ".at")) << number << '\n';
    }

private:
    void obey(const Word& word)
    {
        const auto found = kWords.find(word.name);
        if (found == kWords.end())
            throw std::runtime_error("no such word: " + word.name);
        (this->*found->second)(word);
    }

    void init(const Word& word)
    {
        ncclUniqueId id{};
        const fs::path file = m_folder / "id";
        if (m_rank == 0) {
            check(ncclGetUniqueId(&id));
            publish(file, id.internal, sizeof id.internal);
        }
        waitFor(file);
        std::ifstream(file, std::ios::binary).read(id.internal, sizeof id.internal);
        check(ncclCommInitRank(&m_comms[word.communicator], m_size, id, m_rank));
    }
    void split(const Word& word)
    {
        const std::string name = word.communicator;
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.commName = name.c_str();
        check(ncclCommSplit(m_comms.at("world"), word.value(0, 0), m_rank, &m_comms[name], &config));
    }
    void destroy(const Word& word) { check(ncclCommDestroy(m_comms.at(word.communicator))); }
    void finalize(const Word& word) { check(ncclCommFinalize(m_comms.at(word.communicator))); }
    void abortComm(const Word& word) { check(ncclCommAbort(m_comms.at(word.communicator))); }

    [[nodiscard]] std::size_t count(const Word& word, std::size_t place) const
    {
        return static_cast<std::size_t>(word.value(place, 1024));
    }
    void allReduce(const Word& word)
    {
        check(ncclAllReduce(m_data.data(), m_data.data(), count(word, 0), ncclFloat32, ncclSum,
                            m_comms.at(word.communicator), stream()));
    }
    void broadcast(const Word& word)
    {
        check(ncclBroadcast(m_data.data(), m_data.data(), 1024, ncclFloat32, word.value(0, 0),
                            m_comms.at(word.communicator), stream()));
    }
    void allGather(const Word& word)
    {
        check(ncclAllGather(m_data.data(), m_all.data(), count(word, 0), ncclFloat32,
                            m_comms.at(word.communicator), stream()));
    }
    void reduceScatter(const Word& word)
    {
        check(ncclReduceScatter(m_all.data(), m_data.data(), count(word, 0), ncclFloat32, ncclSum,
                                m_comms.at(word.communicator), stream()));
    }
    void send(const Word& word)
    {
        check(ncclSend(m_data.data(), count(word, 1), ncclFloat32, word.value(0, 0),
                       m_comms.at(word.communicator), stream()));
    }
    void receive(const Word& word)
    {
        check(ncclRecv(m_all.data(), count(word, 1), ncclFloat32, word.value(0, 0),
                       m_comms.at(word.communicator), stream()));
    }
    void groupBegin(const Word&) { check(ncclGroupStart()); }
    void groupEnd(const Word&) { check(ncclGroupEnd()); }
    void useStream(const Word& word) { m_stream = word.value(0, 0); }
    void synchronize(const Word&)
    {
        for (const auto& [number, stream] : m_streams)
            check(cudaStreamSynchronize(stream));
        for (const auto& [name, comm] : m_comms) { // as PyTorch's watchdog does
            ncclResult_t error = ncclSuccess;
            if (comm != nullptr)
                check(ncclCommGetAsyncError(comm, &error));
            check(error);
        }
    }
    cudaStream_t stream()
    {
        cudaStream_t& made = m_streams[m_stream];
        if (made == nullptr)
            check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return made;
    }

    void sleepForEver(const Word&)
    {
        while (true)
            pause();
    }
    void spin(const Word&)
    {
        while (true)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    void compute(const Word&)
    {
        for (std::atomic<unsigned> turns = 0;;)
            ++turns;
    }
    void lock(const Word&)
    {
        std::mutex mutex;
        mutex.lock();
        std::thread([&] { mutex.lock(); }).join();
    }
    void readNothing(const Word&)
    {
        int ends[2];
        char byte = 0;
        if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1)
            throw std::runtime_error("nothing to read");
    }
    /// A checkpoint: chunks that are flushed one by one.
    void save(const Word&)
    {
        const std::vector<char> chunk(4 << 20);
        const int file = open((m_folder / "checkpoint").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        while (pwrite(file, chunk.data(), chunk.size(), 0) > 0 && fsync(file) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
        throw std::runtime_error("the checkpoint cannot be written");
    }
    /// A barrier of a store: each rank announces itself and waits for all others.
    void store(const Word& word)
    {
        const std::string name = "store" + std::to_string(word.value(0, 0)) + ".";
        std::ofstream(m_folder / (name + std::to_string(m_rank))) << "here\n";
        for (int rank = 0; rank < m_size; ++rank)
            waitFor(m_folder / (name + std::to_string(rank)));
    }
    void doze(const Word& word)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(word.value(0, 100)));
    }

    void die(const Word& word) { raise(word.value(0, SIGKILL)); }
    void crash(const Word&)
    {
        volatile int* const nowhere = nullptr;
        *nowhere = 1;
    }
    void leave(const Word& word) { std::exit(word.value(0, 0)); }
    void leaveAtOnce(const Word& word) { _exit(word.value(0, 0)); }
    void leaveByTheKernel(const Word& word) { syscall(SYS_exit_group, word.value(0, 0)); }
    void leaveQuickly(const Word& word) { std::quick_exit(word.value(0, 0)); }
    void fail(const Word&) { throw std::runtime_error("the loss is NaN"); }
    void abortProcess(const Word&) { std::abort(); }
    void becomeOther(const Word& word)
    {
        const std::string code = "exit " + std::to_string(word.value(0, 0));
        execl("/bin/sh", "sh", "-c", code.c_str(), nullptr);
    }

    /// By the kernel itself, as programs do that do not call the C library.
    void becomeSleeper(const Word&)
    {
        const char* const arguments[] = {"sleep", "1000", nullptr};
        syscall(SYS_execveat, AT_FDCWD, "/bin/sleep", arguments, environ, 0);
    }

    static const std::map<std::string, void (Rank::*)(const Word&)> kWords;

    fs::path m_folder;
    int m_rank;
    int m_size;
    int m_stream = 0;
    std::map<std::string, ncclComm_t> m_comms;
    std::map<int, cudaStream_t> m_streams;
    std::vector<float> m_data = std::vector<float>(1 << 16);
    std::vector<float> m_all = std::vector<float>(1 << 18);
};

const std::map<std::string, void (Rank::*)(const Word&)> Rank::kWords{
    {"init", &Rank::init},
    {"split", &Rank::split},
    {"destroy", &Rank::destroy},
    {"finalize", &Rank::finalize},
    {"abort_comm", &Rank::abortComm},
    {"ar", &Rank::allReduce},
    {"bc", &Rank::broadcast},
    {"ag", &Rank::allGather},
    {"rs", &Rank::reduceScatter},
    {"send", &Rank::send},
    {"recv", &Rank::receive},
    {"[", &Rank::groupBegin},
    {"]", &Rank::groupEnd},
    {"stream", &Rank::useStream},
    {"sync", &Rank::synchronize},
    {"sleep", &Rank::sleepForEver},
    {"spin", &Rank::spin},
    {"compute", &Rank::compute},
    {"lock", &Rank::lock},
    {"read", &Rank::readNothing},
    {"save", &Rank::save},
    {"store", &Rank::store},
    {"doze", &Rank::doze},
    {"signal", &Rank::die},
    {"crash", &Rank::crash},
    {"exit", &Rank::leave},
    {"_exit", &Rank::leaveAtOnce},
    {"exit_group", &Rank::leaveByTheKernel},
    {"quick_exit", &Rank::leaveQuickly},
    {"throw", &Rank::fail},
    {"abort", &Rank::abortProcess},
    {"exec", &Rank::becomeOther},
    {"execveat", &Rank::becomeSleeper},
};

/// One rank, in a program of its own, as launchers start them.
int beRank(char** argv)
{
    const int rank = std::atoi(getenv("RANK"));
    try {
        Rank(argv[1], rank, std::atoi(getenv("WORLD_SIZE"))).follow(argv[2 + rank]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s FOLDER SCRIPT...\n", argv[0]);
        return 2;
    }
    if (getenv("RANK") != nullptr)
        return beRank(argv);
    setenv("WORLD_SIZE", std::to_string(argc - 2).c_str(), 1);
    const pid_t parent = getpid();
    for (int rank = 0; rank < argc - 2; ++rank) {
        if (fork() != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        setenv("RANK", std::to_string(rank).c_str(), 1);
        setenv("LOCAL_RANK", std::to_string(rank).c_str(), 1);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    int code = 0;
    for (int status = 0; wait(&status) > 0;)
        code = status != 0 && code == 0 ? 1 : code;
    return code;
}
