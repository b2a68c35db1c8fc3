"""Pictures of the grammar lab."""

from __future__ import annotations

from tests.ui.screenshots import State


def learnt(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("ELBO never fell").wait_for()
    page.get_by_text("done", exact=True).first.wait_for()


def symmetric(page):
    opened(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Symmetric start", exact=True).wait_for()
    page.get_by_text("done", exact=True).first.wait_for()


def opened(page):
    page.wait_for_timeout(1500)  # the example of the link is loaded after the page is drawn


def view(name):
    def choose(page):
        opened(page)
        page.get_by_role("radio", name=name, exact=True).click()

    return choose


def starred(page):
    page.get_by_label("Sentence", exact=True).fill("did you see what")
    page.get_by_text("not in the language").wait_for()


def faulty(page):
    page.get_by_role("button", name="Item", exact=True).click()
    page.get_by_label("Item of row 13").fill("who")
    page.get_by_label("Features of row 13").fill("d -q")
    page.get_by_text("could never move").first.wait_for()


def tab(name, text):
    def choose(page):
        page.get_by_role("tab", name=name).click()
        page.get_by_text(text).first.wait_for()

    return choose


def pruned(page):
    tab("Learn lexicon", "No lexicon learnt yet")(page)
    page.get_by_role("button", name="Learn and prune").click()
    page.get_by_text("candidates survive").wait_for()
    page.get_by_role("button", name="Learn and prune").wait_for()


def versions(page):
    tab("Compare", "Nothing compared yet")(page)
    page.get_by_role("button", name="Keep this version").click()
    page.get_by_text("the same as now").wait_for()
    tab("Induce", "Posterior by category")(page)
    page.get_by_role("row").filter(has=page.get_by_label("Item of row 6")).hover()
    page.get_by_role("button", name="Remove row 6").click()
    page.get_by_text("11 items").wait_for()
    tab("Compare", "1 of its own")(page)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("the higher ELBO and log P").wait_for()


def compared(page):
    tab("Compare", "Nothing compared yet")(page)
    page.get_by_label("Add a shipped lexicon").select_option(
        "Portelance et al. 2022, Figure 1 (subject selected first)"
    )
    page.get_by_role(
        "button", name="Remove Portelance et al. 2022, Figure 1 (subject selected first)"
    ).wait_for()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("The ELBOs cover different sentences").wait_for()


def enlarged(page):
    page.get_by_label("Sentence", exact=True).fill("a b b a a b b a")
    page.get_by_text("1 derivation", exact=True).wait_for()
    page.get_by_role("button", name="Enlarge the derivation").click()
    page.wait_for_timeout(800)


STATES = [
    State("mg_ready", "/mg_lab"),
    State("mg_learnt", "/mg_lab", learnt),
    State("mg_learnt_dark", "/mg_lab", learnt, dark=True),
    State("mg_fault", "/mg_lab", faulty),
    State("mg_starred", "/mg_lab", starred),
    State(
        "mg_symmetric",
        "/mg_lab?example=gender_induction",
        symmetric,
    ),
    State(
        "mg_copying",
        "/mg_lab?example=copy_ww",
        lambda page: page.get_by_label("Sentence", exact=True).fill("a b b a a b b a"),
    ),
    State(
        "mg_copying_dark",
        "/mg_lab?example=copy_ww",
        lambda page: page.get_by_label("Sentence", exact=True).fill("a b b a a b b a"),
        dark=True,
    ),
    State("mg_expressions", "/mg_lab?example=figure1_wh", opened),
    State("mg_steps", "/mg_lab?example=figure1_wh", view("Steps")),
    State("mg_x_bar", "/mg_lab?example=stabler_king", view("X-bar")),
    State("mg_parse", "/mg_lab", tab("Parse", "Word by word")),
    State("mg_generate", "/mg_lab", tab("Generate", "Random sentences")),
    State("mg_check", "/mg_lab?example=silent_loop", tab("Lexicon check", "silent loop through")),
    State("mg_data", "/mg_lab", tab("Data", "Open a lexicon")),
    State("mg_pool_empty", "/mg_lab", tab("Learn lexicon", "No lexicon learnt yet")),
    State("mg_pool", "/mg_lab", pruned),
    State("mg_pool_dark", "/mg_lab", pruned, dark=True),
    State("mg_pool_1280", "/mg_lab", pruned, size=(1280, 800)),
    State("mg_compare_empty", "/mg_lab", tab("Compare", "Nothing compared yet")),
    State("mg_compare", "/mg_lab", versions),
    State("mg_compare_dark", "/mg_lab", compared, dark=True),
    State("mg_large", "/mg_lab?example=copy_ww", enlarged),
    State("mg_large_dark", "/mg_lab?example=copy_ww", enlarged, dark=True),
    State("mg_1280", "/mg_lab", learnt, size=(1280, 800)),
]
