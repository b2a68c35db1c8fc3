"""Where functions with places are reached that the walk of ``test_markup_in_names_browser`` does not come to.

Read with ``python -m tests.security.probes FILE pytest TESTS``.
"""

REACHED_BY = {
    "tests/mg/test_views.py": {
        "otlab/viz/mg/tree.py": "_struck _underline",
    },
    "tests/test_notebook_displays.py": {
        "otlab/discovery/fit.py": "Discovered._repr_html_",
        "otlab/inference/notebook.py": "_Bar._display _Bar.move result_html",
        "otlab/mg/learners/induction.py": "Induction._repr_html_",
        "otlab/ot/fitted.py": "Fit._repr_html_",
        "otlab/ot/tableau.py": "Tableau._repr_html_",
        "otlab/tagging/fitted.py": "Fitted._repr_html_",
        "otlab/viz/notebook.py": "derivation_html parse_html",
    },
    "tests/ui/lexicon": {
        "otlab/ui/lexicon/tabs/edits.py": "EditsTab.draw",
        "otlab/ui/lexicon/tabs/runs.py": "_column _cuts _side_by_side",
        "otlab/ui/lexicon/tabs/segment.py": "_table_words _trial_text",
        "otlab/ui/lexicon/tabs/sound.py": "SoundTab._show_read",
        "otlab/ui/lexicon/tabs/spoken.py": "SpokenTab._show_rows",
        "otlab/viz/discovery/plots.py": "operations_html",
    },
    "tests/ui/mg": {
        "otlab/ui/components/placeholders.py": "warned",
        "otlab/ui/mg/tabs/data.py": "DataTab._question",
        "otlab/ui/mg/tabs/derivation_card.py": "_diagnosis_html _offers",
        "otlab/ui/mg/tabs/reading.py": "ReadingTab.draw _remarks _source",
        "otlab/viz/mg/compare.py": "verdicts_html",
        "otlab/viz/mg/reading.py": "_strip _text",
    },
    "tests/ui/ot": {
        "otlab/ui/components/cards.py": "Card._head_alone covered",
        "otlab/ui/ot/forms/counts.py": "_cells _rule fault_html marks_of",
        "otlab/ui/ot/impossible.py": "_constraint _form heard_state impossible_state",
        "otlab/ui/ot/tabs/forms/check.py": "CheckCard._cell CheckCard._column",
        "otlab/ui/ot/tabs/forms/features.py": "FeaturesCard._say",
        "otlab/ui/ot/tabs/forms/gen.py": "GenCard._add GenCard._put GenCard._row GenCard._show",
        "otlab/ui/ot/tabs/grid.py": "_alert",
        "otlab/ui/ot/tabs/grid_keys.py": "GridKeys.tell",
        "otlab/ui/ot/tabs/learn_cards.py": "PosteriorCard.show_parameters",
        "otlab/ui/ot/tabs/models_card.py": "ModelsCard._take",
        "otlab/ui/ot/tabs/speakers.py": "SpeakersTab._look.show SpeakersTab.build",
        "otlab/ui/ot/tabs/steps.py": "_heard gla_page StepView._refuse",
        "otlab/ui/ot/tabs/token_table.py": "TokenTable.__init__ TokenTable._say",
        "otlab/viz/ot/ranking.py": "_comparison_html ranked_above_html",
        "otlab/viz/ot/speakers.py": "spreads_html",
    },
    "tests/ui/sweep/test_page.py": {
        "otlab/ui/sweep/page.py": "SweepView.__init__ SweepView._best_words SweepView._made_table "
        "SweepView.draw _anchor sweep_page",
        "otlab/viz/sweep.py": "score_svg",
    },
    "tests/ui/tagging": {
        "otlab/ui/tagging/tabs/states.py": "StatesTab._forget_mergers",
        "otlab/ui/tagging/tabs/watch.py": "SkewCard._show_lesson",
    },
    "tests/ui/tagging/test_tabs.py": {
        "otlab/ui/tagging/tabs/sentences.py": "tagged_html",
    },
    "tests/ui/test_lesson_page.py": {
        "otlab/ui/ot/classwork.py": "OTClasswork.sections",
    },
    "tests/viz": {
        "otlab/viz/ot/steps.py": "_drawn _shift",
        "otlab/viz/ot/heard.py": "parses_html",
        "otlab/viz/ot/ranking.py": "_tied_html",
        "otlab/viz/ot/logits.py": "logits_html",
        "otlab/viz/ot/speakers.py": "_mark",
    },
}
"""Names of functions, by tests and file."""

ELSEWHERE = {
    (path, name): test
    for test, files in REACHED_BY.items()
    for path, names in files.items()
    for name in names.split()
}

BY_PROOF = {
    ("otlab/ot/overt_fitted.py", "OvertFit._repr_html_"),
    ("otlab/ui/lexicon/tabs/runs.py", "_cut_both_ways"),
    ("otlab/ui/lexicon/tabs/sound.py", "SoundTab._show_missing"),
    ("otlab/ui/mg/tabs/derivation_card.py", "DerivationCard.refresh"),
    ("otlab/ui/ot/forms/counts.py", "counted_html"),
    ("otlab/ui/ot/tabs/grid.py", "ViolationGrid._too_large"),
    ("otlab/ui/ot/tabs/learn_cards.py", "PosteriorCard._axis_below"),
    ("otlab/ui/server/serving.py", "NotFound.prepare"),
    ("otlab/viz/mg/page.py", "readings_section"),
    ("otlab/viz/tagging/model_choice.py", "chosen_html"),
}
"""Functions whose places are shown to be escaped by their source alone (``test_places``)."""
