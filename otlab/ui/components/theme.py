"""The page's theme: tokens become CSS variables, control styles and base rules.

``THEME`` goes to the page (or, in a notebook, to the lab's outermost layout) and
makes ``--mui-palette-ot-*`` variables that swap at the dark toggle; ``ALIAS`` gives
them the short names ``--ot-*``, which are inherited through every shadow root: any
style sheet or SVG may say ``var(--ot-ink2)`` and follows. ``BASE`` are the class
names shared by all our HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otlab.ui.components import esm, stylesheet
from otlab.ui.components.component import MessageComponent
from otlab.viz.base.tokens import CODE, DARK, FORMS, LIGHT, UI, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ALIAS", "BASE", "HEADER", "NOTEBOOK", "SHELL", "SIDEBAR", "THEME", "EditorTheme"]

HEADER = 52  # px: the app bar's height
SIDEBAR = 276  # px: the run panel's width
CELL = 720  # px: in a narrower cell of a notebook a lab scrolls sideways


def _mode(tokens: Tokens) -> dict[str, Any]:
    """Return one mode of the Material theme, light or dark."""
    return {
        "palette": {
            "primary": {"main": tokens["accent"], "contrastText": tokens["on"]},
            "background": {"default": tokens["bg"], "paper": tokens["surface"]},
            "text": {"primary": tokens["ink"], "secondary": tokens["ink2"]},
            "divider": tokens["line"],
            "success": {"main": tokens["good"]},
            "warning": {"main": tokens["warn"]},
            "error": {"main": tokens["bad"]},
            "ot": dict(tokens),
        },
        "typography": {"fontFamily": UI, "fontSize": 13, "button": {"textTransform": "none"}},
        "shape": {"borderRadius": 8},
        "chart_style": "minimal",
        "components": _controls(tokens),
    }


def _controls(tokens: Tokens) -> dict[str, Any]:
    """Return the styles of app bar, buttons and tooltips."""
    bar = {
        "backgroundColor": tokens["surface"],
        "color": tokens["ink"],
        "borderBottom": f"1px solid {tokens['line']}",
        "boxShadow": "none",
        "backgroundImage": "none",
    }
    # Colours by variable and without transition: others would lag when the page turns dark.
    button = {
        "root": {
            "borderRadius": 8,
            "fontWeight": 550,
            "minWidth": 0,
            "lineHeight": 1.5,
            "boxShadow": "none",
            "transition": "none",
        },
        "outlined": {
            "borderColor": "var(--ot-ctl)",
            "color": "var(--ot-ink)",
            "backgroundColor": "var(--ot-surface)",
        },
    }
    tooltip = {
        "backgroundColor": tokens["ink"],
        "color": tokens["surface"],
        "fontSize": 12.5,
        "width": "max-content",
        "maxWidth": 272,
        "padding": "8px 12px",
    }
    return {
        "MuiAppBar": {"styleOverrides": {"root": bar}},
        "MuiButton": {
            "defaultProps": {"disableElevation": True, "disableRipple": True},
            "styleOverrides": button,
        },
        "MuiButtonBase": {"defaultProps": {"disableRipple": True}},
        "MuiIconButton": {"styleOverrides": {"root": {"transition": "none"}}},
        # Below the button and out of the pointer's way: controls to the right of it stay in reach.
        "MuiTooltip": {
            "defaultProps": {"disableInteractive": True, "slotProps": {"popper": {"placement": "bottom"}}},
            "styleOverrides": {"tooltip": tooltip, "arrow": {"color": tokens["ink"]}},
        },
    }


THEME: dict[str, Any] = {"light": _mode(LIGHT), "dark": _mode(DARK)}

ALIAS = (
    ":root{"
    + "".join(f"--ot-{name}:var(--mui-palette-ot-{name});" for name in LIGHT)
    + f"--ot-ui:{UI};--ot-forms:{FORMS};--ot-code:{CODE};"
    + "}"
)

# The page around the lab. The app bar is filled by our own component; the page's
# busy bar, tool-bar margins and empty headings are taken away.
SHELL: dict[str, Any] = {
    "containerName": "ot-page",
    "containerType": "inline-size",
    "& .MuiAppBar-root > .MuiLinearProgress-root": {"display": "none"},
    "& .MuiToolbar-root": {
        "minHeight": f"{HEADER}px !important",
        "height": f"{HEADER}px",
        "m": "0 !important",
        "p": "0 !important",
    },
    "& .MuiToolbar-root h5": {"display": "none"},
    "& main": {"backgroundColor": "var(--ot-bg)", "color": "var(--ot-ink)"},
}

# In a notebook the same variables hang on the lab's outermost layout.
NOTEBOOK = [
    ALIAS.replace(":root", ":host"),
    ":host{background:var(--ot-bg);color:var(--ot-ink);font:400 13px/1.45 var(--ot-ui);"
    "--bokeh-font-size:13px;border:1px solid var(--ot-line);border-radius:12px;overflow:hidden;"
    f"min-width:{CELL}px !important}}",
]

BASE = stylesheet("base")


class EditorTheme(MessageComponent):
    """Tell a lab in a notebook's cell whether JupyterLab or VS Code around it is dark."""

    _esm = esm("editor_theme", icons=())

    def __init__(self, on_dark: Callable[[bool], None]) -> None:
        super().__init__(lambda dark: on_dark(bool(dark)), width=0, height=0, margin=0)
