// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts of views under names of the user's: kept in the settings, chosen from a menu.
#pragma once
#include <QMenu>

namespace ringside::gui {

class Workbench;

class LayoutMenu final : public QMenu {
    Q_OBJECT
public:
    /// `workbench` must outlive the menu.
    LayoutMenu(Workbench& workbench, QWidget* parent);
    void save(const QString& name);
    void restore(const QString& name);
    void forget(const QString& name);
    [[nodiscard]] static QStringList names();

private:
    void fill();

    Workbench& m_workbench;
};

} // namespace ringside::gui
