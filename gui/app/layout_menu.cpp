// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout_menu.h"

#include "app/workbench.h"

#include <QInputDialog>
#include <QSettings>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr auto kGroup = "layouts"_L1;

/// Encodes the name: a settings key may not hold every character.
QString keyOf(const QString& name)
{
    return QString::fromLatin1(name.toUtf8().toHex());
}

} // namespace

LayoutMenu::LayoutMenu(Workbench& workbench, QWidget* parent)
    : QMenu(u"&Layouts"_s, parent), m_workbench(workbench)
{
    connect(this, &QMenu::aboutToShow, this, [this] { fill(); });
    fill();
}

QStringList LayoutMenu::names()
{
    QSettings settings;
    settings.beginGroup(kGroup);
    QStringList result;
    for (const QString& key : settings.childKeys()) {
        result.append(QString::fromUtf8(QByteArray::fromHex(key.toLatin1())));
    }
    result.sort(Qt::CaseInsensitive);
    return result;
}

void LayoutMenu::save(const QString& name)
{
    QSettings settings;
    settings.beginGroup(kGroup);
    settings.setValue(keyOf(name), m_workbench.layoutState());
}

void LayoutMenu::restore(const QString& name)
{
    QSettings settings;
    settings.beginGroup(kGroup);
    m_workbench.restoreLayout(settings.value(keyOf(name)).toByteArray());
}

void LayoutMenu::forget(const QString& name)
{
    QSettings settings;
    settings.beginGroup(kGroup);
    settings.remove(keyOf(name));
}

void LayoutMenu::fill()
{
    clear();
    QAction* const saveAs = addAction(u"&Save this layout…"_s, this, [this] {
        const QString name = QInputDialog::getText(this, u"Save this layout"_s, u"Name:"_s).trimmed();
        if (!name.isEmpty()) {
            save(name);
        }
    });
    saveAs->setToolTip(u"Stores the present arrangement of the views under a name"_s);
    const QStringList all = names();
    if (all.isEmpty()) {
        return;
    }
    addSeparator();
    for (const QString& name : all) {
        addAction(name, this, [this, name] { restore(name); });
    }
    QMenu* const old = addMenu(u"&Forget"_s);
    for (const QString& name : all) {
        old->addAction(name, this, [this, name] { forget(name); });
    }
}

} // namespace ringside::gui
