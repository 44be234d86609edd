// SPDX-License-Identifier: Apache-2.0
// The interface between the emulated libraries and the emulated CUDA runtime: work on stream queues, and the
// activity that it produces. libcudart.so.13 exports it under the version node RINGSIDE_PLATFORM. The real
// library has none of these names, so that a mixture of real and emulated libraries fails at load time
// instead of producing wrong results.
#pragma once
#include <cstddef>
#include <cstdint>

struct CUstream_st; // cudaStream_t is CUstream_st*

namespace ringside::platform {

enum class WorkKind : std::uint8_t { Kernel, Copy, Set };

/// Costs of a piece of work in the device model. Fields of 0 cost nothing; the largest term counts.
struct WorkCost {
    double flops = 0;           ///< floating point operations, divided by the model's FLOP/s
    double memoryBytes = 0;     ///< device memory traffic, divided by the model's memory bandwidth
    double copyBytes = 0;       ///< host <-> device bytes, divided by the model's PCIe bandwidth
    std::int64_t minimumNs = 0; ///< minimum time, whatever the other fields give
};

/// What cudaFuncGetAttributes and CUPTI say of a kernel of the program: allows full occupancy.
inline constexpr std::uint16_t kRegistersPerThread = 32;

/// Blocks and threads per block of a kernel (x, y, z). Registers and static shared memory are made up,
/// because the kernels run on the CPU.
struct WorkShape {
    std::uint32_t grid[3] = {1, 1, 1};
    std::uint32_t block[3] = {1, 1, 1};
    std::uint32_t sharedBytes = 0; ///< dynamic shared memory of a block
    std::uint16_t registersPerThread = kRegistersPerThread;
    std::uint32_t staticSharedBytes = 0;
};

/// The devices of a peer copy; otherwise both are -1.
struct Peers {
    int source = -1;
    int destination = -1;
    [[nodiscard]] bool differ() const { return source != destination; }
};

/// One piece of work for a stream. `name` must outlive the process (a literal or interned).
/// `run` does the work on the stream's thread; it may block (a collective waits for its peers).
/// `arg` is owned by the callee: `run` is called exactly once and frees it.
/// With `arithmetic` and the model's `compute = skip`, and for work that is refused or was only captured,
/// `run` is called with skip = true: free `arg`, compute nothing.
///
/// On a capturing stream work becomes a node of a graph, which keeps `arg` and never runs it. Every launch of
/// the graph makes an argument of its own by `clone` (null: out of memory) on the launching thread, in an
/// order in which no node comes before one it depends on. Work that has an `arg` and no `clone` is refused
/// in a capture.
struct Work {
    WorkKind kind = WorkKind::Kernel;
    const char* name = nullptr;
    void (*run)(void* arg, bool skip) = nullptr;
    void* arg = nullptr;
    void* (*clone)(const void* arg) = nullptr;
    WorkCost cost = {};
    WorkShape shape = {};
    std::uint64_t bytes = 0;   ///< for copies and sets: size in the activity record
    std::uint8_t copyKind = 0; ///< cudaMemcpyKind for copies
    Peers peers = {};
    int device = -1; ///< the device whose default stream a null stream means; -1: the calling thread's
    bool arithmetic = false;
};

/// One finished piece of work, as seen by the stream's thread. Times are CLOCK_REALTIME ns, CUPTI's default.
struct WorkActivity {
    WorkKind kind = WorkKind::Kernel;
    const char* name = nullptr;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0; ///< CUPTI's stream id: small number, 7 is the legacy default stream
    std::uint32_t correlation = 0;
    std::uint64_t bytes = 0;
    std::uint8_t copyKind = 0;
    WorkShape shape = {};
    std::uint32_t graphId = 0;     ///< id of the launched graph, 0 outside of one
    std::uint64_t graphNodeId = 0; ///< unique in the process, 0 outside of a graph
    Peers peers = {};
};

/// CUPTI numbers the functions of the runtime and of the driver separately.
enum class ApiDomain : std::uint8_t { Runtime, Driver };

/// `cbid` is CUPTI_RUNTIME_TRACE_CBID_* or CUPTI_DRIVER_TRACE_CBID_*.
struct ApiFunction {
    ApiDomain domain = ApiDomain::Runtime;
    std::uint32_t cbid = 0;
};

/// One finished CUDA API call.
struct ApiActivity {
    ApiFunction function = {};
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint32_t processId = 0;
    std::uint32_t threadId = 0;     ///< the kernel's thread id
    std::uint64_t threadHandle = 0; ///< its pthread_t
    std::uint32_t correlation = 0;
    std::int32_t result = 0;
};

/// Receives activity. Its functions may be called from any thread at once and must not call the runtime.
struct ActivitySink {
    void (*work)(const WorkActivity&);
    /// Called on the calling thread right before the call takes effect, so that the sink can connect its
    /// thread's external correlation ids with `correlation`.
    void (*apiBegin)(ApiFunction function, std::uint32_t correlation);
    void (*apiEnd)(const ApiActivity&);
};

} // namespace ringside::platform

extern "C" {
/// Queues work on a stream (null: the legacy default stream of the current device). Outside of a runtime
/// call, it counts as a launch by the driver's cuLaunchKernelEx with its own correlation id. The real
/// libraries launch like this, because they contain a runtime that cannot be interposed. Returns a
/// cudaError_t.
int ringside_platform_enqueue(CUstream_st* stream, const ringside::platform::Work* work);
/// Installs the process's sink, or removes it if null. The sink must stay valid afterwards.
void ringside_platform_set_sink(const ringside::platform::ActivitySink* sink);
/// Returns the device model's value of a key (see device_model.md), or `fallback` if it is not set.
double ringside_platform_model_number(const char* key, double fallback);
/// Returns the present throttling factor of the device's clock, 1 or more (see device_model.md).
double ringside_platform_throttle_factor();
/// Writes the device's memory and the part that this process has allocated, in bytes. Returns 0 and writes
/// nothing if the process has not used the device, because the memory of other processes is unknown.
int ringside_platform_device_memory(int device, std::uint64_t* total, std::uint64_t* used);
/// Returns the number of devices of this process.
int ringside_platform_device_count();
/// Returns CLOCK_REALTIME in ns as seen by the emulated device (a test clock may shift it).
std::int64_t ringside_platform_now_ns(void);
/// Emulates the driver's exit handler: afterwards, threads are parked and calls fail. It runs by itself at
/// exit; a test calls it earlier to emulate a driver whose handler runs first.
void ringside_platform_tear_down(void);
int ringside_platform_is_torn_down(void);
/// Body of a generated stub: prints once, guarded by its flag `said`, that `name` is not emulated, and
/// returns `status`.
int ringside_platform_stub(const char* name, int* said, int status);
}
