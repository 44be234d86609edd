// SPDX-License-Identifier: Apache-2.0
#include "cli/live_screen.h"

#include "cli/command.h"

#ifdef RINGSIDE_HAVE_NCURSES
#include "cli/run_control.h"
#include "document/table.h"
#include "live/show.h"
#include "live/snapshot.h"

#include <ringside/error.h>

#include <curses.h>
#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ringside::cli {
namespace {

enum class SortBy { Lateness, Rank, StepTime };

struct State {
    std::filesystem::path run;
    std::optional<live::JobView> view;
    bool paused = false;
    bool over = false;
    bool help = false;
    bool explains = false;
    SortBy sortBy = SortBy::Lateness;
    std::optional<std::int64_t> pinned; ///< rank that stays on top
    std::string entered;                ///< digits of a rank to pin
    std::string filter;                 ///< which ranks are listed
    bool entersFilter = false;          ///< keys are letters of `filter`
    std::string message;                ///< of the last action
};

/// Ends ncurses also when an exception passes.
class Screen final {
public:
    Screen()
    {
        std::setlocale(LC_ALL, "");
        initscr();
        cbreak();
        noecho();
        keypad(stdscr, TRUE);
        curs_set(0);
        constexpr int kSecondMs = 1000;
        timeout(kSecondMs);
        const char* const none = std::getenv("NO_COLOR");
        if (has_colors() && (none == nullptr || *none == '\0')) {
            start_color();
            use_default_colors();
            init_pair(kWarn, COLOR_YELLOW, -1);
            init_pair(kBad, COLOR_RED, -1);
        }
    }
    ~Screen() { endwin(); }
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    static constexpr short kWarn = 1;
    static constexpr short kBad = 2;
};

constexpr const char* kKeys = "q quit  e explain  s sort  f filter  p pause  d dump  l level  ? help";

constexpr const char* kKeysHelp =
    R"(Late: how much longer the middle one of the other ranks waited in a step
than this rank did. Who comes last to a collective waits least in it, so the
rank at the top holds the others up. "-" is not measured.

  e        explains what the view says, and what to do next
  s        sorts by lateness, rank or step time
  f        filters the ranks: 0-7,12 or a state or a part of a host's name
  7 Enter  pins rank 7 to the top; c lets go of it
  p        holds the picture
  d        writes what the flight recorder holds (record --keep-last)
  l        records what runs on the GPUs from now on (level standard)
  q        ends this view; the job goes on

A key ends this help.)";

void sortRanks(State& state)
{
    auto& ranks = state.view->ranks;
    const auto key = [&](const live::RankView& rank) {
        switch (state.sortBy) {
        case SortBy::Rank:
            return -rank.rank;
        case SortBy::StepTime:
            return rank.stepNs.value_or(-1);
        case SortBy::Lateness:
            break;
        }
        return rank.lateNs.value_or(-1);
    };
    std::stable_sort(ranks.begin(), ranks.end(),
                     [&](const live::RankView& a, const live::RankView& b) { return key(a) > key(b); });
    if (state.pinned) {
        std::stable_partition(ranks.begin(), ranks.end(),
                              [&](const live::RankView& rank) { return rank.rank == *state.pinned; });
    }
}

void look(State& state)
{
    if (state.paused) {
        return;
    }
    const live::RunNow now = live::readRun(state.run);
    state.over = now.hosts.empty();
    if (!state.over) {
        state.view = live::viewOf(now);
    }
    sortRanks(state);
}

int attributeOf(const std::string& line)
{
    if (line.starts_with("alarm:") || line.find(" hanging ") != std::string::npos) {
        return COLOR_PAIR(Screen::kBad) | A_BOLD;
    }
    return line.find(" silent ") != std::string::npos || line.starts_with("note:")
               ? static_cast<int>(COLOR_PAIR(Screen::kWarn))
               : 0;
}

/// As many whole characters of UTF-8 as fit; addnstr counts bytes.
void drawLine(int row, const std::string& line)
{
    std::size_t bytes = 0;
    int columns = 0;
    while (bytes < line.size() && columns < COLS) {
        ++bytes;
        while (bytes < line.size() && (static_cast<unsigned char>(line[bytes]) & 0xC0U) == 0x80U) {
            ++bytes;
        }
        ++columns;
    }
    mvaddnstr(row, 0, line.c_str(), static_cast<int>(bytes));
}

/// As many ranks as there is room for below and above everything else.
std::string viewText(const State& state, std::size_t room, std::size_t width)
{
    live::TextOptions options{.mostRanks = room, .width = width, .filter = state.filter};
    std::string text = live::formatText(*state.view, options);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    const std::size_t listed = std::min(room, state.view->ranks.size());
    if (lines > room && listed > 0) {
        const std::size_t excess = lines - room + 1; // and a line that says how many are not listed
        options.mostRanks = listed > excess ? listed - excess : 1;
        text = live::formatText(*state.view, options);
    }
    return text;
}

std::string textOf(const State& state, std::size_t room)
{
    const auto width = static_cast<std::size_t>(std::max(COLS, 1));
    if (state.help) {
        return kKeysHelp;
    }
    if (!state.explains) {
        return viewText(state, room, width);
    }
    std::string text;
    for (const std::string& paragraph : live::explanationOf(*state.view)) {
        text += document::wrap(paragraph, width, "") + "\n";
    }
    return text + "A key ends this explanation.";
}

std::string statusOf(const State& state)
{
    if (state.entersFilter) {
        return "Filter: " + state.filter + "_ (Enter)";
    }
    if (!state.entered.empty()) {
        return "Pin rank " + state.entered + " (Enter)";
    }
    if (state.over) {
        return "The run is over; q ends this view.";
    }
    if (!state.message.empty()) {
        return state.message;
    }
    return state.paused ? "Paused; p goes on" : kKeys;
}

void draw(const State& state)
{
    erase();
    const auto room = static_cast<std::size_t>(std::max(LINES - 1, 1));
    std::istringstream text(textOf(state, room));
    int row = 0;
    for (std::string line; row + 1 < LINES && std::getline(text, line); ++row) {
        const int attribute = row == 0 ? static_cast<int>(A_BOLD) : attributeOf(line);
        attron(attribute);
        drawLine(row, line);
        attroff(attribute);
    }
    attron(A_REVERSE);
    drawLine(LINES - 1, statusOf(state));
    attroff(A_REVERSE);
    refresh();
}

/// What `record --attach-control` does; its messages would spoil the screen.
void control(State& state, const Words& words, const char* done)
{
    endwin();
    try {
        state.message = controlRun(state.run.string(), words) == kPass ? done : "It did not work.";
    } catch (const Error& error) {
        state.message = error.what();
    }
    refresh();
}

void enterFilter(State& state, int key)
{
    constexpr std::size_t kMostLetters = 64;
    constexpr int kDelete = 127;
    constexpr int kEscape = 27;
    if (key == '\n' || key == KEY_ENTER) {
        state.entersFilter = false;
    } else if (key == kEscape) {
        state.entersFilter = false;
        state.filter.clear();
    } else if ((key == KEY_BACKSPACE || key == kDelete || key == '\b') && !state.filter.empty()) {
        state.filter.pop_back();
    } else if (key > ' ' && key < kDelete && state.filter.size() < kMostLetters) {
        state.filter += static_cast<char>(key);
    }
}

void obey(State& state, int key)
{
    constexpr std::size_t kMostDigits = 9;
    state.message.clear();
    if (key >= '0' && key <= '9' && state.entered.size() < kMostDigits) {
        state.entered += static_cast<char>(key);
    } else if ((key == '\n' || key == KEY_ENTER) && !state.entered.empty()) {
        state.pinned = std::stoll(state.entered);
        state.entered.clear();
    } else if (key == 'c') {
        state.pinned.reset();
        state.entered.clear();
    } else if (key == 'p') {
        state.paused = !state.paused;
    } else if (key == 's') {
        state.sortBy = static_cast<SortBy>((static_cast<int>(state.sortBy) + 1) % 3);
        constexpr const char* kNames[] = {"sorted by lateness", "sorted by rank", "sorted by step time"};
        state.message = kNames[static_cast<int>(state.sortBy)];
    } else if (key == '?' || key == 'h') {
        state.help = true;
    } else if (key == 'e') {
        state.explains = true;
    } else if (key == 'f') {
        state.entersFilter = true;
        state.filter.clear();
    } else if (key == 'd') {
        control(state, {"dump"}, "The flight recorder was written.");
    } else if (key == 'l') {
        control(state, {"level", "standard"}, "GPUs are recorded from now on.");
    }
}

} // namespace

int watchOnScreen(const std::filesystem::path& run, const std::string& filter)
{
    State state;
    state.run = run;
    state.filter = filter;
    state.view = live::viewOf(live::readRun(run));
    const Screen screen;
    for (;;) {
        look(state);
        draw(state);
        const int key = getch();
        if (key == ERR || key == KEY_RESIZE) {
            continue;
        }
        if (state.entersFilter) {
            enterFilter(state, key);
        } else if (key == 'q') {
            return kPass;
        } else if (state.help || state.explains) {
            state.help = state.explains = false;
        } else {
            obey(state, key);
        }
    }
}

} // namespace ringside::cli

#else

#include "output/messages.h"

namespace ringside::cli {

int watchOnScreen(const std::filesystem::path& run, const std::string& /*filter*/)
{
    output::printNote(
        "ringside: this build has no screen view (it was built without ncurses): lines instead\n");
    return watchAsLines(run);
}

} // namespace ringside::cli

#endif
