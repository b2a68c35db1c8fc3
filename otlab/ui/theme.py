"""The page's theme: tokens become CSS variables, control styles and base rules.

``THEME`` goes to the page (or, in a notebook, to the lab's outermost layout) and
makes ``--mui-palette-ot-*`` variables that swap at the dark toggle; ``ALIAS`` gives
them the short names ``--ot-*``, which are inherited through every shadow root: any
style sheet or SVG may say ``var(--ot-ink2)`` and follows. ``BASE`` are the class
names shared by all our HTML.
"""

from __future__ import annotations

from typing import Any

from otlab.viz.style import CODE, FORMS, UI
from otlab.viz.tokens import DARK, LIGHT, Tokens

__all__ = ["ALIAS", "BASE", "DRAWER_BELOW", "HEADER", "NOTEBOOK", "SHELL", "SIDEBAR", "THEME"]

HEADER = 52  # px: the app bar's height
SIDEBAR = 276  # px: the run panel's width
DRAWER_BELOW = 1100  # px: narrower windows get the run panel as a drawer


def _half(tokens: Tokens) -> dict[str, Any]:
    """One mode of the Material theme."""
    bar = {
        "backgroundColor": tokens["surface"],
        "color": tokens["ink"],
        "borderBottom": f"1px solid {tokens['line']}",
        "boxShadow": "none",
        "backgroundImage": "none",
    }
    button = {
        "root": {"borderRadius": 8, "fontWeight": 550, "minWidth": 0, "lineHeight": 1.5, "boxShadow": "none"},
        "outlined": {
            "borderColor": tokens["ctl"],
            "color": tokens["ink"],
            "backgroundColor": tokens["surface"],
        },
    }
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
        "components": {
            "MuiAppBar": {"styleOverrides": {"root": bar}},
            "MuiButton": {
                "defaultProps": {"disableElevation": True, "disableRipple": True},
                "styleOverrides": button,
            },
            "MuiButtonBase": {"defaultProps": {"disableRipple": True}},
            "MuiTooltip": {
                "styleOverrides": {
                    "tooltip": {
                        "backgroundColor": tokens["ink"],
                        "color": tokens["surface"],
                        "fontSize": 12.5,
                        "maxWidth": 272,
                        "padding": "8px 12px",
                    },
                    "arrow": {"color": tokens["ink"]},
                }
            },
        },
    }


THEME: dict[str, Any] = {"light": _half(LIGHT), "dark": _half(DARK)}

ALIAS = (
    ":root{"
    + "".join(f"--ot-{name}:var(--mui-palette-ot-{name});" for name in LIGHT)
    + f"--ot-ui:{UI};--ot-forms:{FORMS};--ot-code:{CODE};"
    + "}"
)

# The page around the lab. The app bar is filled by our own component; the page's
# busy bar, tool-bar margins and empty headings are taken away.
SHELL: dict[str, Any] = {
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
    ":host{background:var(--ot-bg);color:var(--ot-ink);font:400 13px/1.45 var(--ot-ui);--bokeh-font-size:13px;"
    "border:1px solid var(--ot-line);border-radius:12px;overflow:hidden}",
]

BASE = """
:host { font: 400 13px/1.45 var(--ot-ui); color: var(--ot-ink); font-feature-settings: "tnum"; }
*, *::before, *::after { box-sizing: border-box; }
h1, h2, h3, p, ul, ol, dl, dd, table, figure { margin: 0; padding: 0; font-weight: inherit; font-size: inherit; }
.title { font-size: 13.5px; font-weight: 650; }
.remark { font-size: 12px; color: var(--ot-ink3); }
.label { font-size: 11.5px; font-weight: 500; color: var(--ot-ink3); }
.small { font-size: 12px; color: var(--ot-ink2); }
.stat { font-size: 17px; font-weight: 600; }
.form { font-family: var(--ot-forms); font-size: 15.5px; }
.con { font-family: var(--ot-forms); font-size: 15px; font-variant-caps: all-small-caps; letter-spacing: .03em; }
.code { font-family: var(--ot-code); font-size: 12px; }
.num { text-align: right; }
.zero { color: var(--ot-ink3); }
.well { background: var(--ot-inset); border-radius: 8px; padding: 8px 10px; }
.grow { flex: 1 1 auto; min-width: 0; }
.row { display: flex; align-items: center; gap: 8px; }
.cut { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.icon { display: block; flex: none; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
kbd { font: 500 11px/1 var(--ot-ui); color: var(--ot-ink2); border: 1px solid var(--ot-line2); border-radius: 4px;
  padding: 2px 4px; background: var(--ot-surface); }
button { font: 550 13px/1 var(--ot-ui); color: var(--ot-ink); display: inline-flex; align-items: center;
  justify-content: center; gap: 8px; height: 32px; padding: 0 12px; border: 1px solid var(--ot-ctl);
  border-radius: 8px; background: var(--ot-surface); cursor: pointer; white-space: nowrap;
  transition: background-color 120ms ease-out, border-color 120ms ease-out; }
button:hover:enabled { background: var(--ot-inset); border-color: var(--ot-ink3); }
button.primary { background: var(--ot-accent); border-color: var(--ot-accent); color: var(--ot-on); }
button.primary:hover:enabled { background: color-mix(in srgb, var(--ot-accent) 88%, var(--ot-ink)); }
button.plain { border-color: transparent; background: transparent; color: var(--ot-ink2); padding: 0 8px; }
button.plain:hover:enabled { background: var(--ot-shade); }
button.square { width: 36px; height: 36px; padding: 0; }
button.on { background: var(--ot-soft); border-color: var(--ot-accent); color: var(--ot-accent); }
button:disabled { color: var(--ot-ink3); border-color: var(--ot-line2); cursor: default; }
button.plain:disabled { opacity: .5; border-color: transparent; }
:focus-visible { outline: 2px solid var(--ot-accent); outline-offset: 2px; }
a { color: var(--ot-accent); }
.badge { display: inline-flex; align-items: center; gap: 6px; height: 22px; padding: 0 10px 0 8px; border-radius: 999px;
  font-size: 12px; font-weight: 600; white-space: nowrap; background: var(--ot-shade); color: var(--ot-ink2); }
.badge .icon { width: 12px; height: 12px; }
.badge.good { background: var(--ot-good-bg); color: var(--ot-good); }
.badge.warn { background: var(--ot-warn-bg); color: var(--ot-warn); }
.badge.bad { background: var(--ot-bad-bg); color: var(--ot-bad); }
.sw { display: inline-block; width: 10px; height: 10px; border-radius: 3px; }
.stroke { display: inline-block; width: 14px; height: 0; border-top: 2px solid; vertical-align: middle; }
.stroke.dashed { border-top-style: dashed; }
.bar { display: inline-block; width: 2px; height: 12px; background: var(--ot-ink); }
.term { border-bottom: 1px dotted var(--ot-ink3); cursor: help; }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { transition: none !important; animation: none !important; } }
"""
