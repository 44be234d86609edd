// SPDX-License-Identifier: GPL-3.0-or-later
// A view: one file in this folder, registered under its file name. A view shows results of the analyzer and
// lets the user choose among them. It must not compute figures, read files or know other views.
#pragma once
#include "session.h"

#include <QWidget>

#include <span>

namespace ringside::gui {

class Navigator;

class View : public QWidget {
public:
    using QWidget::QWidget;
    /// Called when the report is there, and again when the timeline is there.
    virtual void setSession(const Session& session) = 0;
};

enum class Place : std::uint8_t { Left, Right, Bottom };

struct ViewEntry {
    const char* id = nullptr;    ///< name of the file
    const char* title = nullptr; ///< of its dock and menu entry
    const char* help = nullptr;  ///< one sentence: what the view shows
    int order = 0;               ///< position: the view with the lowest number is on Ctrl+1
    Place place = Place::Right;
    View* (*create)(Navigator& navigator, QWidget* parent) = nullptr;
};

[[nodiscard]] std::span<const ViewEntry* const> all();
/// Returns all views, sorted by `order`.
[[nodiscard]] std::vector<const ViewEntry*> allViews();

} // namespace ringside::gui

/// Defines the view of this file. `name` must be the name of the file.
#define RINGSIDE_VIEW(name, ...)                                                                             \
    extern const ::ringside::gui::ViewEntry entry;                                                           \
    const ::ringside::gui::ViewEntry entry                                                                   \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
