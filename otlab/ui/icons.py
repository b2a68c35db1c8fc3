"""Icons as inline SVG, 16 units square, drawn in the colour of the text around them.

No web font: everything must show without a network, in a page and in a notebook.
"""

from __future__ import annotations

__all__ = ["ICONS", "LOGO", "icon"]


def _stroked(body: str, width: float = 1.4) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" '
        f'stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">{body}</svg>'
    )


def _filled(body: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="icon" viewBox="0 0 16 16" width="16" height="16" fill="currentColor" '
        f'aria-hidden="true">{body}</svg>'
    )


_HAND = "M1.8 6.2h1.9v5H1.8zM3.7 6.9 6 5h7.2a1 1 0 0 1 0 2H8.6M8.6 7h1.6a1 1 0 0 1 0 2H8.8M9.7 9a1 1 0 0 1-.2 1.9H8M8.9 10.9a.9.9 0 0 1-.4 1.6H5.6l-1.9-1.3M6 5l1.6-1.4"

ICONS: dict[str, str] = {
    "run": _filled('<path d="M5 3.4v9.2a.6.6 0 0 0 .92.5l7-4.6a.6.6 0 0 0 0-1l-7-4.6A.6.6 0 0 0 5 3.4z"/>'),
    "pause": _filled('<rect x="4" y="3" width="2.4" height="10" rx=".6"/><rect x="9.6" y="3" width="2.4" height="10" rx=".6"/>'),
    "step": _stroked('<path d="M3.4 3.2v9.6L10.6 8zM12.8 3.2v9.6"/>'),
    "stop": _stroked('<rect x="4" y="4" width="8" height="8" rx="1.4"/>'),
    "reset": _stroked('<path d="M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 2.8v3h3"/>'),
    "dice": _stroked('<rect x="2.5" y="2.5" width="11" height="11" rx="2.4"/><path d="M5.7 5.7h.01M8 8h.01M10.3 10.3h.01"/>'),
    "check": _stroked('<path d="m3.4 8.4 3.1 3.1 6.1-6.6"/>', 1.8),
    "warn": _stroked('<path d="M8 2.4 14.2 13H1.8zM8 6.4v3M8 11.2v.01"/>'),
    "dot": _filled('<circle cx="8" cy="8" r="2.4"/>'),
    "cross": _stroked('<path d="m4 4 8 8M12 4l-8 8"/>'),
    "plus": _stroked('<path d="M8 3v10M3 8h10"/>'),
    "minus": _stroked('<path d="M3 8h10"/>'),
    "upload": _stroked('<path d="M8 10.5V2.8M4.8 5.8 8 2.6l3.2 3.2M2.8 13.4h10.4"/>'),
    "download": _stroked('<path d="M8 2.6v7.6M4.8 7.2 8 10.4l3.2-3.2M2.8 13.4h10.4"/>'),
    "link": _stroked('<path d="M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.3-2.3A2.6 2.6 0 0 0 9 3.3l-.9.9M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9"/>'),
    "screen": _stroked('<rect x="2" y="3" width="12" height="8" rx="1.2"/><path d="M8 11v2.4M5.6 13.4h4.8"/>'),
    "moon": _stroked('<path d="M13.3 9.6A5.6 5.6 0 0 1 6.4 2.7a5.6 5.6 0 1 0 6.9 6.9z"/>'),
    "sun": _stroked('<circle cx="8" cy="8" r="2.8"/><path d="M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9"/>'),
    "help": _stroked('<circle cx="8" cy="8" r="6"/><path d="M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.2v.01"/>'),
    "menu": _stroked('<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/>'),
    "chevron": _stroked('<path d="m4.5 6.4 3.5 3.5 3.5-3.5"/>'),
    "left": _stroked('<path d="M9.8 4.2 6 8l3.8 3.8"/>'),
    "right": _stroked('<path d="M6.2 4.2 10 8l-3.8 3.8"/>'),
    "undo": _stroked('<path d="M5.6 3 2.8 5.8l2.8 2.8M3 5.8h6.2a3.6 3.6 0 0 1 0 7.2H6"/>'),
    "redo": _stroked('<path d="m10.4 3 2.8 2.8-2.8 2.8M13 5.8H6.800a3.6 3.6 0 0 0 0 7.2H10"/>'),
    "eye": _stroked('<path d="M1.6 8S4 3.8 8 3.8 14.4 8 14.400 8 12 12.2 8 12.200 1.6 8 1.6 8z"/><circle cx="8" cy="8" r="1.9"/>'),
    "forward": _stroked('<path d="M9.600 4.400 13 7.800l-3.400 3.400M12.800 7.800H6.200A3.200 3.200 0 0 0 3 11v1.400"/>'),
    "more": _filled('<circle cx="3.4" cy="8" r="1.2"/><circle cx="8" cy="8" r="1.2"/><circle cx="12.6" cy="8" r="1.2"/>'),
    "pencil": _stroked('<path d="m3 13 .7-2.900 7-7 2.200 2.200-7 7z"/>', 1.2),
    "search": _stroked('<circle cx="7" cy="7" r="4.200"/><path d="m10.200 10.200 3.300 3.300"/>'),
    "hand": _stroked(f'<path d="{_HAND}"/>', 1.2),
    "sound": _stroked('<path d="M2.600 6.200v3.600H5l3.200 2.600V3.600L5 6.200zM10.600 6a2.800 2.800 0 0 1 0 4M12.400 4.200a5.400 5.400 0 0 1 0 7.600"/>'),
    "lock": _stroked('<rect x="3.400" y="7" width="9.200" height="6.400" rx="1.200"/><path d="M5.400 7V5.200a2.600 2.600 0 0 1 5.200 0V7"/>'),
}  # fmt: skip

# The pointing hand of a tableau's winner, on the accent.
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" class="logo" viewBox="0 0 28 28" width="28" height="28" aria-hidden="true">'
    '<rect width="28" height="28" rx="7" fill="var(--ot-accent)"/>'
    '<g fill="none" stroke="var(--ot-on)" stroke-width="1.15" stroke-linecap="round" stroke-linejoin="round" '
    f'transform="translate(4.4 4.6) scale(1.2)"><path d="{_HAND}"/></g></svg>'
)


def icon(name: str, size: int = 16) -> str:
    """Return the SVG of an icon.

    Raises
    ------
    KeyError
        If there is none of this name.
    """
    return (
        ICONS[name]
        if size == 16
        else ICONS[name].replace('width="16" height="16"', f'width="{size}" height="{size}"')
    )
