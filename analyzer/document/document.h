// SPDX-License-Identifier: Apache-2.0
// A report as people read it: sections of paragraphs, findings, tables and charts. It is built once
// (report/document.h); the renderers in formats/ and the desktop program show it and know nothing of rules,
// metrics or traces. All texts in it are finished.
#pragma once
#include "document/table.h"
#include "document/wait_chain.h"
#include "document/why_graph.h"
#include "trace/vocabulary/severity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ringside::document {

struct Paragraph {
    std::string text;
};

/// Sentences that stand for themselves, one below the other.
struct Items {
    std::vector<std::string> texts;
};

struct Figure {
    std::string name; ///< as in the JSON report
    double value = 0;
    std::string text; ///< "lost per step 89.34 ms (threshold 2.00 ms)"
};

/// A finding that restates a loss.
struct SameLoss {
    std::string rule;
    std::string text;
    bool isFigure = false; ///< the text is a figure, not a sentence
};

/// A loss: a finding with all that restate it. Formats that count findings count these.
struct Finding {
    std::string rule;
    trace::Severity severity = trace::Severity::Info;
    std::string title;
    std::string cost;                   ///< "12.34 ms a step, part of exposed_communication"
    std::optional<std::int64_t> costNs; ///< of a step, or of a second of the recording
    bool perSecond = false;
    std::string ranks;                     ///< "1-3", "all"
    std::string who;                       ///< "rank 1", "ranks 1-3", "all ranks"
    std::vector<std::int64_t> rankNumbers; ///< empty: all
    std::vector<Figure> figures;
    std::vector<SameLoss> sameLoss;
    std::vector<Place> places;
    std::string advice; ///< empty where the summary gives it already
};

/// What a part of a chart stands for; renderers have a colour for each.
enum class Shade : std::uint8_t { Compute, Wait, Communication, Copy, Idle };

/// A bar for each rank, or for each run of a job. Its parts sum to its length.
struct BarChart {
    struct Part {
        std::string name;
        Shade shade = Shade::Compute;
    };
    struct Bar {
        std::int64_t rank = 0;
        std::vector<double> ns; ///< one for each part
        std::string length;     ///< the sum, "17.00 ms"
        [[nodiscard]] double sumNs() const;
    };
    std::vector<Part> parts;
    std::vector<Bar> bars;
    std::string_view title = "Device time of each rank";
    std::string_view row = "rank"; ///< what a bar stands for; its number is Bar::rank
};

/// A map of ranks (down) and steps (across), of at most kMostRows by kMostColumns cells. If several ranks or
/// steps share a cell, it has the largest value.
struct HeatMap {
    static constexpr std::size_t kMostRows = 64;
    static constexpr std::size_t kMostColumns = 120;
    struct Row {
        std::int64_t rank = 0; ///< the first of those that share it
        std::vector<double> ns;
    };
    std::vector<Row> rows;
    double leastNs = 0; ///< colours go from here ...
    double mostNs = 0;  ///< ... to here
    std::optional<std::int64_t> firstStep, lastStep;
};

using Block = std::variant<Paragraph, Items, Finding, Table, BarChart, HeatMap, WaitChain, WhyGraph>;

/// By which a view finds the part that it shows.
enum class SectionId : std::uint8_t {
    NotRead,
    WaitChain,
    Hang, ///< a call in which ranks wait, the ranks, or the witnesses of it
    KeyFigures,
    BreakdownChart,
    HeatMap,
    Findings,
    Prices,
    WhyGraph, ///< what explains the parts of a step, as a picture
    Argument,
    NotApplicable,
    BreakdownTable,
    Idle,
    Flops,
    Timed,
    Collectives,
    Messages,
    Alarms,
    Coverage,
    Goodput, ///< where the time of a job went, over its restarts
    Memory,  ///< what held a GPU's memory, by snapshots of PyTorch's allocator
    Roles,   ///< how the programs of a job share the time
};

struct Section {
    SectionId id = SectionId::KeyFigures;
    std::string title; ///< empty: the section goes on where the one before it ended
    std::vector<Block> blocks;
    bool folded = false; ///< few readers need it
};

/// A figure that stands out, "GPU utilization", with its definition.
struct KeyFigure {
    std::string name;
    std::string value; ///< "12.3 %"; "not measured"
    std::string help;
};

struct RuleEntry {
    std::string id;
    std::string title;
    std::string help;
    std::optional<std::string> notJudged; ///< why it could not judge the run
    bool inconclusive = false;            ///< there was data, but not enough
};

enum class Tone : std::uint8_t {
    Limited, ///< something limits the run
    Good,    ///< nothing does
    Unknown, ///< what was not measured may limit it
};

struct Document {
    std::string name;      ///< of the run
    std::string host;      ///< the first one; empty: not known
    std::string startedAt; ///< ISO 8601, UTC; empty: not known
    bool emulated = false;
    std::string verdict; ///< "limited by a late rank (high confidence)"
    Tone tone = Tone::Unknown;
    std::string summary;     ///< one paragraph: what limits the run, what it costs, what to try first
    std::string notMeasured; ///< why there is no breakdown of a step; empty if there is one
    std::vector<KeyFigure> figures;
    std::vector<RuleEntry> rules;
    std::vector<Section> sections; ///< in the order of reading

    /// Null if the document has no such section.
    [[nodiscard]] const Section* find(SectionId id) const;
    /// The first block of a kind in a section. Null if there is none.
    template <class Kind>
    [[nodiscard]] const Kind* find(SectionId id) const
    {
        const Section* const section = find(id);
        for (std::size_t i = 0; section != nullptr && i < section->blocks.size(); ++i) {
            if (const auto* const block = std::get_if<Kind>(&section->blocks[i])) {
                return block;
            }
        }
        return nullptr;
    }
    /// All findings, in the order of reading.
    [[nodiscard]] std::vector<const Finding*> findings() const;
};

/// Makes one visitor of several functions.
template <class... Functions>
struct Visitor : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Visitor(Functions...) -> Visitor<Functions...>; // clang 14 has no guides of its own for such structs

} // namespace ringside::document
