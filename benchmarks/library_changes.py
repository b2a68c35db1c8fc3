"""What each change to Bokeh, Panel and Param is worth: a page of the OT lab without it.

    python -m benchmarks library_changes [CHANGE ...]

Prints the least processor time of seven pages, built and written as JSON, the memory that a page keeps, and
the time of writing one message: with all changes, and without each of those named (by default without any of
them in turn), each in a process of its own.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.model import util
from bokeh.models import Range1d
from bokeh.protocol import Protocol
from panel.io.state import set_curdoc
from panel_material_ui.theme import MaterialDesign
from param.parameterized import Comparator

from otlab.ui.ot.lab import OTLab
from otlab.ui.server import bokeh_patches

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES, MESSAGES = 7, 50
CHANGES: dict[str, list[tuple[Any, str]]] = {
    "defaults": [
        (HasProps, "__init__"),
        (HasProps, "themed_values"),
        (PropertyDescriptor, "_get_default"),
        (PropertyDescriptor, "has_unstable_default"),
    ],
    "containers": [(HasProps, "__init__"), (HasProps, "properties_with_values")],
    "references": [(util, "visit_immediate_value_references")],
    "messages": [(Serializer, "__init__"), (Serializer, "get_ref"), (Serializer, "has_ref")],
    "comparison": [(Comparator, "is_equal")],
    "designs": [(MaterialDesign, "_get_modifiers")],
}
"""Name of a change -> the functions that it replaces."""


def make_page() -> tuple[Document, OTLab]:
    """Return a page of the OT lab, written as JSON."""
    document = Document()
    with set_curdoc(document):
        lab = OTLab()
        lab.page().server_doc(document)
        document.to_json()
    return document, lab


def page_milliseconds() -> float:
    """Return the least processor time of several pages."""
    times = []
    for _ in range(PAGES):
        begin = time.thread_time()
        make_page()
        times.append(1000 * (time.thread_time() - begin))
    return min(times)


def message_milliseconds(document: Document) -> float:
    """Return the processor time of writing a message about one property."""
    document.models.flush_synced()
    model = next(model for model in document.models if isinstance(model, Range1d))
    protocol, begin = Protocol(), time.thread_time()
    for _ in range(MESSAGES):
        _ = protocol.create("PATCH-DOC", [ModelChangedEvent(document, model, "start", 1.5)]).content_json
    return 1000 * (time.thread_time() - begin) / MESSAGES


def measure(without: str) -> None:
    """Print the figures without a change; with all for an empty name."""
    replaced = CHANGES.get(without, [])
    before = [vars(owner)[name] for owner, name in replaced]
    bokeh_patches.cache_defaults()
    for (owner, name), function in zip(replaced, before, strict=True):
        setattr(owner, name, function)
    document, _lab = make_page()
    least, sent = page_milliseconds(), message_milliseconds(document)
    gc.collect()
    tracemalloc.start()
    kept = [make_page() for _ in range(4)]
    gc.collect()
    memory = tracemalloc.get_traced_memory()[0] / len(kept) / 1e6
    print(
        f"without {without or 'none':<11} {least:4.0f} ms a page  {memory:.2f} MB  {sent:.3f} ms a message",
        flush=True,
    )


def main(argv: Sequence[str]) -> int:
    """Measure in processes of their own."""
    if argv[:1] == ["--here"]:
        measure(argv[1])
        return 0
    for name in ["", *(argv or CHANGES)]:
        subprocess.run([sys.executable, "-m", "benchmarks", "library_changes", "--here", name], check=True)
    return 0
