// SPDX-License-Identifier: Apache-2.0
#include "nvtx/labels.h"

#include <ringside/trace/writer.h>

#include <array>

namespace ringside::collector::nvtx {
namespace {

struct Label {
    std::uint32_t number; ///< thread id or category
    bool ofThread;
    Name* domain;
    std::string text;
    bool written = false; ///< only used by the drain thread
};

// Entries are added without a lock, because a program may fork meanwhile, and never removed.
struct Labels {
    std::array<std::atomic<Label*>, 1024> all;
    std::atomic<std::size_t> given{0};
};
constinit Labels g_labels;

void give(Label* label)
{
    const std::size_t place = g_labels.given.fetch_add(1, std::memory_order_relaxed);
    if (place < g_labels.all.size()) {
        g_labels.all[place].store(label, std::memory_order_release);
    } else {
        delete label;
    }
}

bool write(trace::Writer& writer, const Label& label)
{
    if (label.ofThread) {
        return writer.nameThread(label.number, label.text);
    }
    writer.add(trace::CategoryRow{idOf(label.domain), label.number, registry().intern(label.text)});
    return true;
}

} // namespace

void nameThread(std::uint32_t tid, std::string_view text)
{
    give(new Label{tid, true, nullptr, std::string(text)});
}

void nameCategory(Name* domain, std::uint32_t category, std::string_view text)
{
    give(new Label{category, false, domain, std::string(text)});
}

void writeLabels(trace::Writer& writer)
{
    for (std::atomic<Label*>& entry : g_labels.all) {
        Label* const label = entry.load(std::memory_order_acquire);
        if (label != nullptr && !label->written) {
            label->written = write(writer, *label);
        }
    }
}

std::uint64_t refusedLabels()
{
    const std::size_t given = g_labels.given.load(std::memory_order_relaxed);
    return given > g_labels.all.size() ? given - g_labels.all.size() : 0;
}

} // namespace ringside::collector::nvtx
