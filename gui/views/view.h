// SPDX-License-Identifier: GPL-3.0-or-later
// What a view is: one file in this folder, found by its name. Shows results of the analyzer and lets the user
// point at them; must not compute figures, read files or know other views.
#pragma once
#include "session.h"

#include <QWidget>

#include <span>

namespace ringside::gui {

class Navigator;

class View : public QWidget {
public:
    using QWidget::QWidget;
    /// Called when the report is there, and again when the timeline is.
    virtual void setSession(const Session& session) = 0;
};

enum class Place : std::uint8_t { Left, Right, Bottom };

struct ViewEntry {
    const char* id = nullptr;    ///< name of the file
    const char* title = nullptr; ///< of its dock and menu entry
    const char* help = nullptr;  ///< one sentence: what it answers
    int order = 0;               ///< Ctrl+1 shows the view with the least one
    Place place = Place::Right;
    View* (*create)(Navigator& navigator, QWidget* parent) = nullptr;
};

[[nodiscard]] std::span<const ViewEntry* const> all();
/// The same by `order`.
[[nodiscard]] std::vector<const ViewEntry*> allViews();

} // namespace ringside::gui

/// Defines the view of this file; the name must be the file's.
#define RINGSIDE_VIEW(name, ...)                                                                             \
    extern const ::ringside::gui::ViewEntry entry;                                                           \
    const ::ringside::gui::ViewEntry entry                                                                   \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
