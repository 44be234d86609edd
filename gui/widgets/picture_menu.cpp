// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/picture_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

void savePicture(QWidget& widget)
{
    const QString path =
        QFileDialog::getSaveFileName(&widget, u"Save the picture"_s, u"picture.png"_s, u"Picture (*.png)"_s);
    if (!path.isEmpty() && !widget.grab().save(path)) {
        QMessageBox::warning(
            &widget, u"Save the picture"_s,
            u"Cannot write %1. Choose a name that ends in .png, in a folder of yours."_s.arg(path));
    }
}

} // namespace

void fillPictureMenu(QMenu& menu, QWidget& widget, const QString& text)
{
    if (!text.isEmpty()) {
        menu.addAction(u"&Copy what stands here"_s, &menu,
                       [text] { QApplication::clipboard()->setText(text); });
    }
    menu.addAction(u"Copy the &picture"_s, &widget,
                   [&widget] { QApplication::clipboard()->setPixmap(widget.grab()); });
    menu.addAction(u"&Save the picture…"_s, &widget, [&widget] { savePicture(widget); });
}

void addPictureMenu(QWidget& widget, const TextAt& textAt)
{
    widget.setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(&widget, &QWidget::customContextMenuRequested, &widget,
                     [&widget, textAt](const QPoint& position) {
                         QMenu menu(&widget);
                         fillPictureMenu(menu, widget, textAt ? textAt(position) : QString());
                         menu.exec(widget.mapToGlobal(position));
                     });
}

} // namespace ringside::gui
