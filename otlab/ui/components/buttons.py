"""Buttons, icon buttons and segmented switches: Material controls with shared sizes and accessible names.

>>> button("Step view", icon="eye").label
'Step view'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import panel_material_ui as pmui
import param

from otlab.ui.components.component import Component
from otlab.ui.components.icons import icon as svg
from otlab.ui.components.layout import with_widths

if TYPE_CHECKING:
    from otlab.ui.history import History

__all__ = ["Segmented", "button", "icon_button", "press", "segmented", "tabs", "undo_buttons"]

_FOCUS = {
    "&.Mui-focusVisible, &:focus-visible": {"outline": "2px solid var(--ot-accent)", "outlineOffset": "2px"}
}
_BUTTON = {
    "height": "30px",
    "px": "12px",
    "fontSize": "13px",
    "fontWeight": 550,
    "& .MuiButton-startIcon": {"mr": "6px", "ml": "-2px"},
    **_FOCUS,
}
# The label stays, out of sight at the right.
_ICON_ALONE = {
    "width": "32px",
    "px": "7px",
    "justifyContent": "flex-start",
    "overflow": "hidden",
    "textOverflow": "ellipsis",
    "whiteSpace": "nowrap",
    "& .MuiButton-startIcon": {"ml": 0, "mr": "12px"},
}
_PLAIN = {
    "px": "8px",
    "color": "var(--ot-ink2)",
    "border": "1px solid transparent",
    "&:hover": {"backgroundColor": "var(--ot-shade)", "color": "var(--ot-ink)"},
}
_OUTLINED = {
    "&:hover": {
        "backgroundColor": "var(--ot-inset)",
        "borderColor": "var(--ot-ink3)",
        "color": "var(--ot-ink)",
    }
}
_CHOSEN = {
    "color": "var(--ot-accent)",
    "borderColor": "var(--ot-accent)",
    "backgroundColor": "var(--ot-soft)",
}
_PRESSED = {**_CHOSEN, "&:hover": _CHOSEN}


def button(
    label: str,
    do: Callable[[], object] | None = None,
    *,
    icon: str = "",
    primary: bool = False,
    plain: bool = False,
    icon_below: int = 0,
    **params: Any,
) -> pmui.Button:
    """Return a button; `do` is called on a click.

    Parameters
    ----------
    icon
        Name of one of :data:`otlab.ui.components.icons.ICONS`.
    primary, plain
        Filled with the accent; or without a border. Otherwise outlined.
    icon_below
        In tabs narrower than this (px) the icon stands alone; the label is then the tooltip.
    """
    variant = "contained" if primary else "text" if plain else "outlined"
    look = {**_BUTTON, **(_PLAIN if plain else {} if primary else _OUTLINED), **params.pop("sx", {})}
    if icon_below:
        look[f"@container ot-main (width < {icon_below}px)"] = _ICON_ALONE
        params.setdefault("description", label)
    made = pmui.Button(
        label=label,
        variant=variant,
        color="primary" if primary else "default",
        icon=svg(icon) if icon else None,
        icon_size="16px",
        sx=look,
        **{"margin": 0, **params},
    )
    if do is not None:
        made.on_click(lambda _: do())
    return made


def face(label: str, icon: str) -> dict[str, str]:
    """Return the label and the icon of a button, for ``button.param.update(**face(...))``."""
    return {"label": label, "icon": svg(icon)}


def press(switch: pmui.Button, pressed: bool) -> None:
    """Show an outlined button as a toggle: pressed while its view is on."""
    switch.sx = {**_BUTTON, **(_PRESSED if pressed else _OUTLINED)}


def icon_button(
    name: str, icon: str, do: Callable[[], object] | None = None, **params: Any
) -> pmui.IconButton:
    """Return a 32 px button that shows only an icon; `name` is its accessible name and tooltip."""
    look = {
        "width": "32px",
        "height": "32px",
        "p": 0,
        "borderRadius": "8px",
        "color": "var(--ot-ink2)",
        **_FOCUS,
        "&.Mui-disabled": {"color": "var(--ot-line2)"},
        **params.pop("sx", {}),
    }
    made = pmui.IconButton(
        label=name, description=name, icon=svg(icon), icon_size="16px", sx=look, **{"margin": 0, **params}
    )
    if do is not None:
        made.on_click(lambda _: do())
    return made


def undo_buttons(
    history: History, undo: Callable[[], object], redo: Callable[[], object]
) -> tuple[pmui.IconButton, pmui.IconButton]:
    """Return Undo and Redo, enabled while `history` has an edit for them."""
    back, onwards = icon_button("Undo", "undo", undo), icon_button("Redo", "redo", redo)

    def follow(*_: object) -> None:
        back.disabled, onwards.disabled = not history.can_undo, not history.can_redo

    history.param.watch(follow, ["last", "next"])
    for made in (back, onwards):
        made.align = "center"
    follow()
    return back, onwards


class Segmented(Component):
    """A switch between a few views; watch ``value``."""

    label = param.String(doc="Accessible name of the group.")
    options = param.List(doc="(value, label) of each view.")
    value = param.String()

    script = "segmented"

    def _handle_msg(self, data: str) -> None:
        self.value = data


def segmented(
    label: str, options: Mapping[str, str] | list[str], value: str | None = None, **params: Any
) -> Segmented:
    """Return a switch between a few views.

    Parameters
    ----------
    label
        Accessible name of the group.
    options
        Labels, or value to label.
    value
        The one chosen to begin with; the first if None.
    """
    pairs = (
        [[v, name] for v, name in options.items()]
        if isinstance(options, Mapping)
        else [[name, name] for name in options]
    )
    return Segmented(
        label=label, options=pairs, value=pairs[0][0] if value is None else value, **{"margin": 0, **params}
    )


def tabs(names: list[str], active: int = 0, **params: Any) -> pmui.TabMenu:
    """Return the row of a lab's inner tabs (role tab); watch ``active``."""
    look = {
        "minHeight": "32px",
        "& .MuiTab-root": {
            "minHeight": "30px",
            "height": "30px",
            "minWidth": 0,
            "px": "12px",
            "py": 0,
            "borderRadius": "8px",
            "fontSize": "13.5px",
            "fontWeight": 500,
            "color": "var(--ot-ink2)",
            "textTransform": "none",
            "opacity": 1,
            **_FOCUS,
        },
        "& .MuiTab-root.Mui-selected": {
            "backgroundColor": "var(--ot-soft)",
            "color": "var(--ot-accent)",
            "fontWeight": 600,
        },
        "& .MuiTabs-indicator": {"display": "none"},
        with_widths("@container ot-main (width <= NARROW)"): {
            "minHeight": 0,
            "& .MuiTabs-list, & .MuiTabs-flexContainer": {"flexWrap": "wrap"},
            "& .MuiTab-root": {"px": "8px"},
        },
    }
    return pmui.TabMenu(
        items=[{"label": name} for name in names], active=active, sx=look, **{"margin": 0, **params}
    )
