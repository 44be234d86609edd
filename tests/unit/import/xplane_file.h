// SPDX-License-Identifier: Apache-2.0
// Profiles of JAX that tests make: a writer of protocol buffers, and of the messages of an XSpace.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::test {

/// A message, written field by field.
class ProtoWriter {
public:
    ProtoWriter& number(std::uint32_t field, std::uint64_t value)
    {
        varint(field << 3U);
        varint(value);
        return *this;
    }
    ProtoWriter& bytes(std::uint32_t field, std::string_view value)
    {
        varint(field << 3U | 2U);
        varint(value.size());
        m_bytes += value;
        return *this;
    }
    ProtoWriter& real(std::uint32_t field) // the double 1.0
    {
        varint(field << 3U | 1U);
        m_bytes += std::string("\0\0\0\0\0\0\xF0\x3F", 8);
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return m_bytes; }

private:
    void varint(std::uint64_t value)
    {
        for (; value >= 0x80; value >>= 7U) {
            m_bytes += static_cast<char>(value | 0x80U);
        }
        m_bytes += static_cast<char>(value);
    }
    std::string m_bytes;
};

/// Arguments of an event: numbers, and texts that are stored as references, as XLA does.
struct XArguments {
    std::vector<std::pair<std::string, std::uint64_t>> numbers;
    std::vector<std::pair<std::string, std::string>> texts;
};

/// A plane whose lines come before the names that they refer to, as protocol buffers write them.
class XPlaneWriter {
public:
    explicit XPlaneWriter(std::string name) : m_name(std::move(name)) {}

    XPlaneWriter& line(std::int64_t id, const std::string& name, std::int64_t startNs)
    {
        closeLine();
        m_line.number(1, static_cast<std::uint64_t>(id)).bytes(2, name);
        m_line.number(3, static_cast<std::uint64_t>(startNs));
        m_open = true;
        return *this;
    }
    /// Times in us after the start of the line.
    XPlaneWriter& event(const std::string& name, std::uint64_t startUs, std::uint64_t durationUs,
                        const XArguments& arguments = {})
    {
        constexpr std::uint64_t kPsPerUs = 1'000'000;
        ProtoWriter event;
        event.number(1, idOf(m_events, name)).number(2, startUs * kPsPerUs).number(3, durationUs * kPsPerUs);
        for (const auto& [argument, value] : arguments.numbers) {
            event.bytes(4, ProtoWriter().number(1, idOf(m_texts, argument)).number(3, value).text());
        }
        for (const auto& [argument, value] : arguments.texts) {
            const std::uint64_t key = idOf(m_texts, argument);
            event.bytes(4, ProtoWriter().number(1, key).number(7, idOf(m_texts, value)).text());
        }
        event.bytes(4, ProtoWriter().number(1, idOf(m_texts, "theoretical_occupancy_pct")).real(2).text());
        m_line.bytes(4, event.text());
        return *this;
    }
    XPlaneWriter& raw(const std::string& event)
    {
        m_line.bytes(4, event);
        return *this;
    }
    XPlaneWriter& fact(const std::string& name, std::uint64_t value)
    {
        m_facts.bytes(6, ProtoWriter().number(1, idOf(m_texts, name)).number(4, value).text());
        return *this;
    }
    XPlaneWriter& fact(const std::string& name, const std::string& value)
    {
        m_facts.bytes(6, ProtoWriter().number(1, idOf(m_texts, name)).bytes(5, value).text());
        return *this;
    }
    [[nodiscard]] std::string text(bool withNames = true)
    {
        closeLine();
        ProtoWriter plane;
        plane.number(1, 1).bytes(2, m_name);
        std::string names;
        for (const auto& [field, map] : {std::pair(4U, &m_events), std::pair(5U, &m_texts)}) {
            for (const auto& [name, id] : *map) {
                const std::string described = ProtoWriter().number(1, id).bytes(2, name).text();
                names +=
                    ProtoWriter().bytes(field, ProtoWriter().number(1, id).bytes(2, described).text()).text();
            }
        }
        return plane.text() + m_lines + (withNames ? names : "") + m_facts.text();
    }

private:
    using Ids = std::map<std::string, std::uint64_t>;
    static std::uint64_t idOf(Ids& ids, const std::string& name)
    {
        return ids.try_emplace(name, ids.size() + 1).first->second;
    }
    void closeLine()
    {
        m_lines += m_open ? ProtoWriter().bytes(3, m_line.text()).text() : "";
        m_line = {};
        m_open = false;
    }

    std::string m_name, m_lines;
    ProtoWriter m_line, m_facts;
    bool m_open = false;
    Ids m_events, m_texts;
};

inline std::string xspace(const std::vector<std::string>& planes, const std::string& host = "host1")
{
    ProtoWriter space;
    for (const std::string& plane : planes) {
        space.bytes(1, plane);
    }
    return space.bytes(4, host).text();
}

/// The plane in which XLA notes when the profile began.
inline std::string startedAt(std::uint64_t epochNs)
{
    return XPlaneWriter("Task Environment").fact("profile_start_time", epochNs).text();
}

inline XArguments ofKernel(std::uint64_t correlation, const std::string& hloOperation = "fusion.1")
{
    return {{{"correlation_id", correlation}},
            {{"kernel_details",
              "regs:32 static_shared:1024 dynamic_shared:512 grid:16,2,1 block:256,1,1 occ_pct:0"},
             {"hlo_op", hloOperation},
             {"hlo_module", "jit_train_step"}}};
}

/// A training loop of one host: six steps, in each a fusion and an all-reduce on every GPU. The fusions are
/// late by `lateUs`, and the all-reduces end at the same time.
inline std::string jaxProfile(std::uint64_t startedNs, std::uint64_t devices, std::uint64_t lateUs = 0,
                              const std::string& host = "host1")
{
    constexpr std::uint64_t kSteps = 6;
    constexpr std::uint64_t kStepUs = 1000;
    const auto correlation = [](std::uint64_t device, std::uint64_t step) {
        return 1 + device * 100 + step * 2;
    };
    XPlaneWriter cpu("/host:CPU");
    cpu.line(661, "Host Threads/661", 5000);
    for (std::uint64_t device = 0; device < devices; ++device) {
        for (std::uint64_t step = 0; step < kSteps; ++step) {
            const std::uint64_t first = correlation(device, step);
            const std::uint64_t at = step * kStepUs + device;
            cpu.event("cuLaunchKernel", at + 10, 5, {{{"correlation_id", first}}, {}});
            cpu.event("cuLaunchKernel", at + 20, 5, {{{"correlation_id", first + 1}}, {}});
        }
    }
    cpu.line(-1'472'503'042'444'199'177, "python/-1472503042444199177", 5000);
    for (std::uint64_t step = 0; step < kSteps; ++step) {
        cpu.event("train", step * kStepUs, 900, {{{"step_num", step + 10}, {"_r", 1}}, {}});
        cpu.event("$train.py:12 step", step * kStepUs + 1, 800);
    }
    std::vector<std::string> planes{cpu.text()};
    for (std::uint64_t device = 0; device < devices; ++device) {
        XPlaneWriter gpu("/device:GPU:" + std::to_string(device));
        gpu.line(17, "Stream #17(Kernel)", 5000);
        for (std::uint64_t step = 0; step < kSteps; ++step) {
            gpu.event("loop_fusion", step * kStepUs + lateUs + 30, 400, ofKernel(correlation(device, step)));
        }
        gpu.line(20, "Stream #20(Kernel)", 5000);
        for (std::uint64_t step = 0; step < kSteps; ++step) {
            gpu.event("ncclDevKernel_Generic", step * kStepUs + lateUs + 430, 300 - lateUs,
                      ofKernel(correlation(device, step) + 1, "all-reduce-start.1"));
        }
        gpu.fact("gpu_device_name", std::string("NVIDIA H200")).fact("core_count", 132);
        planes.push_back(gpu.text());
    }
    planes.push_back(startedAt(startedNs));
    return xspace(planes, host);
}

} // namespace ringside::test
