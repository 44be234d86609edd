// SPDX-License-Identifier: GPL-3.0-or-later
// The right-click menu of painted widgets: copy or save them as pictures, and copy what stands at a place.
#pragma once
#include <QString>

#include <functional>

class QMenu;
class QPoint;
class QWidget;

namespace ringside::gui {

using TextAt = std::function<QString(const QPoint&)>; ///< empty: nothing stands there
/// Gives `widget` the menu, until it is deleted.
void addPictureMenu(QWidget& widget, const TextAt& textAt = {});
/// What the menu offers at a place; for the menu and tests.
void fillPictureMenu(QMenu& menu, QWidget& widget, const QString& text);

} // namespace ringside::gui
