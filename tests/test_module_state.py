"""State that belongs to a module instead of an object: each has an owner and an end, or a reason."""

from __future__ import annotations

import ast

from tests.test_imports import trees

ONE_PER_PROCESS = "one per process, with which it ends"
CLOSED_PAGES = "weak: an entry ends with its page"
STATE = {
    "discovery/channel/composed_estep.py _composed": "weak: an entry ends with its parser",
    "discovery/parsing/estep.py _kept": "memory of a thread, which ends with it",
    "discovery/sound/estep.py _thread": "memory of a thread, which ends with it",
    "importing.py _lock": ONE_PER_PROCESS,
    "inference/blas.py _limit": "counts its users; the limit ends with the last",
    "inference/executors.py _shared": "data of a worker process, filled once when it starts",
    "inference/executors.py _stop": "the event of a worker process, set once when it starts",
    "inference/jit.py _lock": ONE_PER_PROCESS,
    "inference/run.py _cores": ONE_PER_PROCESS,
    "inference/run.py _current_run": "a context variable: its value ends with the thread's work",
    "python_syntax.py _one_at_a_time": ONE_PER_PROCESS,
    "ot/conditions.py _relations_of": "weak: an entry ends with its tableau",
    "ot/indistinct.py _columns_of": "weak: an entry ends with its tableau",
    "ot/overt.py _forms": "weak: an entry ends with its tableau",
    "ot/overt.py _heard_tableau": "weak: an entry ends with its tableau",
    "ot/probability_plan.py _plan_of": "weak: an entry ends with its tableau",
    "ui/classroom/board.py _boards": CLOSED_PAGES,
    "ui/classroom/codes.py wrong_codes": "at most 60 times of the last minute",
    "ui/classroom/maker.py _hosts": "the addresses of the server, set when it starts",
    "ui/components/component.py modules": "one entry per component class",
    "ui/documents/keeper.py _numbers": "counts pages, to tell which is newer",
    "ui/documents/keeper.py _pages": CLOSED_PAGES,
    "ui/documents/runs.py _budget": ONE_PER_PROCESS,
    "ui/documents/store.py _listed": "an event, set by the server when it starts",
    "ui/documents/writer.py writer": "one per process; what waits is written at its end",
    "ui/ot/online_prediction.py _predictors": "one thread for all pages, so that they take turns",
    "ui/ot/results.py _assessors": "one thread for all pages, so that they take turns",
    "ui/ot/tabs/grid.py _serial": "counts grids, for names that differ",
    "ui/refresh.py _thread": ONE_PER_PROCESS,
    "ui/server/bokeh_patches.py _classes": "one entry per class of Bokeh models",
    "ui/server/bokeh_patches.py _modifiers": "one entry per class of components and theme",
    "ui/server/message_order.py _waiting": "one queue per page, gone with its connection",
    "ui/server/memory.py _scheduled": "set for two seconds at most",
    "ui/server/memory.py open_pages": "one per process; pages are held weakly",
    "ui/server/uploads.py _files": "at most 32 files; each is dropped when it is fetched",
    "ui/server/uploads.py _lock": ONE_PER_PROCESS,
    "ui/server/warm.py kernels": "one per process; its compiler ends when all is compiled",
    "ui/shared_corpora.py _lock": ONE_PER_PROCESS,
    "ui/shared_corpora.py _shown": "weak: an entry ends when no page shows the corpus",
    "ui/timers.py _no_page": "one event for scripts, which have no page",
    "ui/timers.py _pages": CLOSED_PAGES,
    "viz/base/live.py _all_rendered": "weak: an entry ends with its element",
}
# A cache without a limit is right where the arguments are few, such as systems or files of the package.
CACHES = {
    "compiling.py steps_of": "systems",
    "discovery/sound/features.py mel_filters": "rates of the recordings opened",
    "inference/jit.py kernel_folder": "systems",
    "inference/shipped.py _may_be_tried": "systems",
    "inference/shipped.py sources_digest": "modules of kernels",
    "inference/parallel.py _pool": "numbers of threads",
    "samples.py samples": "systems",
    "sweep/spec.py numbers_version": "systems",
    "sweep/systems.py parameters": "learners",
    "ui/components/__init__.py esm": "files of the package",
    "ui/documents/field_types.py _checks": "classes of the package",
    "ui/documents/stored_types.py _type": "classes of the package",
    "ui/documents/store.py _opened": "files named by the environment",
    "ui/lessons/lesson.py shipped_lesson": "files of the package",
    "ui/lessons/page.py shipped_lesson_page": "files of the package",
    "viz/base/css/__init__.py sheet": "files of the package",
    "viz/base/js/__init__.py script": "files of the package",
    "web/js/__init__.py room": "files of the package",
    "viz/discovery/sound.py phase_element": "two phases",
}


def bound_names(statement):
    """Return the names in lower case that a statement of a module binds to something made at run time."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return []
    if isinstance(statement.value, ast.Constant | ast.Attribute):  # the latter: another name of a function
        return []
    names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return [
        name for name in names if name.strip("_").islower() and name != "_log" and not name.startswith("__")
    ]


def is_unlimited_cache(function):
    arguments = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    decorators = {ast.unparse(decorator) for decorator in function.decorator_list}
    return bool(arguments) and bool(decorators & {"cache", "functools.cache"})


def test_state_of_modules_is_known():
    found = {
        f"{path} {name}" for path, tree in trees().items() for line in tree.body for name in bound_names(line)
    }
    assert found == set(STATE)


def test_caches_without_a_limit_are_known():
    found = {
        f"{path} {node.name}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and is_unlimited_cache(node)
    }
    assert found == set(CACHES)


def test_only_a_worker_process_replaces_a_name_of_its_module():
    changed = {
        path for path, tree in trees().items() for node in ast.walk(tree) if isinstance(node, ast.Global)
    }
    assert changed == {"inference/executors.py"}
