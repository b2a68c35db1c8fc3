"""The page in Chromium, from a file: its twins of Python's functions, its draws, its cards."""

from dataclasses import replace

import numpy as np
import pytest

from otlab import inference
from otlab.errors import InputError
from otlab.inference.random import chain_generators
from otlab.ot import fit_gibbs, fit_gla, predict, read, to_csv
from otlab.ot.conditions import observed_relations, uncounted_relations
from otlab.ot.learners.error_driven import lay_out
from otlab.ot.learners.gla import GLA
from otlab.ot.learners.sampler import lay_out as sampler_layout
from otlab.ot.learners.schedules import schedule
from otlab.ot.probability_plan import compile_plan
from otlab.ot.tableau import Tableau
from otlab.samples import samples
from otlab.web.page import lab_page, tableau_data
from tests.ui.axe import assert_accessible
from tests.ui.browser import Visit, launched, missing

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "there")]

MODULE = "await WebAssembly.compile(Uint8Array.from(atob(DATA.wasm), c => c.charCodeAt(0)))"

# Run a learner to its end and return the last message of each chain; in the page, which has all functions.
RUN = """async job => {
  const module = MODULE
  const chains = {}, draws = {}
  const message = { module, signatures: DATA.signatures, job }
  await runJob(message, ({ chains: told }) => (told ?? []).forEach(one => {
    chains[one.number] = { ...one, values: [...(one.values ?? [])], weights: [...(one.weights ?? [])] }
    if (one.draws) (draws[one.number] ??= []).push(...one.draws)
  }))
  return { chains: Object.values(chains), draws: Object.values(draws) }
}""".replace("MODULE", MODULE)


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    visit = Visit(browser)
    yield opened(visit, tmp_path_factory.mktemp("page"), read("ilokano"))
    visit.close()


def opened(visit, folder, tableau):
    (folder / "otlab.html").write_text(lab_page(tableau), encoding="utf-8")
    visit.page.goto((folder / "otlab.html").as_uri())
    visit.page.locator("html[data-ready]").wait_for()
    return visit.page


def sample_tableaux():
    """Return every sample that a page can hold."""
    found = []
    for sample in samples("ot"):
        tableau = read(sample.name)
        try:
            tableau_data(tableau)
        except InputError:
            continue
        found.append(tableau)
    return found


def generated_tableau(rng):
    """Return a random tableau; candidates repeat and are bounded now and then."""
    k, sizes = int(rng.integers(1, 7)), rng.integers(1, 7, size=int(rng.integers(1, 4)))
    rows = int(sizes.sum())
    counts = rng.integers(0, 5, rows)
    counts[0] += 1
    return Tableau(
        inputs=tuple(f"x{n}" for n in range(len(sizes))),
        candidates=tuple(f"y{n}" for n in range(rows)),
        offsets=np.cumsum([0, *sizes]),
        constraints=tuple(f"C{n}" for n in range(k)),
        violations=rng.integers(0, 3, (rows, k)),
        frequencies=counts.astype(float),
    )


def derived(tableau):
    """Return what Python derives from a tableau, as the page's functions return it."""
    plan = compile_plan(tableau)
    relations = uncounted_relations(tableau)
    own = {
        "counts": tableau.counts().tolist() if tableau.total or not (tableau.frequencies % 1).any() else None,
        "relations": [
            [r.row, list(r.members), [conjunct(c) for c in r.conjuncts], bool(r.bounded)]
            for r in relations
        ],
        "plan": {
            "entry": plan.entry.tolist(), "share": plan.share.tolist(), "active": plan.active.tolist(),
            "arrays": as_lists(plan.arrays),
        },
        "trials": as_lists(lay_out(tableau, relations)) if tableau.frequencies.any() else None,
        "layout": None,
    }  # fmt: skip
    try:
        observed = observed_relations(tableau)
        own["layout"] = as_lists(sampler_layout(observed, [relation.count for relation in observed]))
    except InputError:
        pass
    return own


def conjunct(erc):
    return [sorted(erc.winners), sorted(erc.losers), erc.rival]


def as_lists(arrays):
    return {name: array.tolist() for name, array in arrays._asdict().items()}


DERIVED = """tableau => {
  const relations = relationsOf(tableau), counts = countsOf(tableau)
  const count = r => r.members.reduce((sum, row) => sum + counts[row], 0)
  const counted = counts && relations.map(r => ({ ...r, count: count(r) }))
  const conjunct = c => [bitsOf(c.winners), bitsOf(c.losers), c.rival]
  const usable = counted && !impossibleRows(tableau, relations).length
  return {
    counts, plan: planOf(tableau, relations),
    relations: relations.map(r => [r.row, r.members, r.conjuncts.map(conjunct), r.bounded]),
    trials: tableau.frequencies.some(n => n > 0) ? trialData(tableau, relations) : null,
    layout: usable ? samplerLayout(counted.filter(r => r.count && r.conjuncts.length)) : null,
  }
}"""


def test_samples_are_laid_out_as_in_python(page):
    for tableau in sample_tableaux():
        assert page.evaluate(DERIVED, tableau_data(tableau)) == derived(tableau), tableau.name


def test_generated_tableaux_are_laid_out_as_in_python(page):
    rng = np.random.default_rng(38)
    tableaux = [generated_tableau(rng) for _ in range(500)]
    found = page.evaluate(f"all => all.map({DERIVED})", [tableau_data(tableau) for tableau in tableaux])
    for tableau, there in zip(tableaux, found, strict=True):
        assert there == derived(tableau)


def test_generators_are_numpys(page):
    """1,000 seeds, three chains each: uniforms, and whole numbers below 1 to 9."""
    seeds = [0, 1, 2**32 - 1, *np.random.default_rng(1).integers(0, 2**32, 997).tolist()]
    found = page.evaluate(
        """async seeds => {
          const kernels = await kernelsOf(MODULE, DATA.signatures)
          return seeds.map(seed => [0, 1, 2].map(chain => {
            const rng = kernels.generator(seed, chain)
            const first = kernels.uniform(rng), below = range(1, 10).map(n => kernels.below(rng, n))
            return [first, ...below, kernels.uniform(rng)]
          }))
        }""".replace("MODULE", MODULE),
        seeds,
    )
    for seed, there in zip(seeds, found, strict=True):
        for rng, numbers in zip(chain_generators(seed, 3), there, strict=True):
            drawn = [rng.random(), *(int(rng.integers(n)) for n in range(1, 10)), rng.random()]
            assert numbers == drawn


def job(learner, tableau, seed, chains, **settings):
    return {
        "learner": learner, "tableau": tableau_data(tableau), "seed": seed, "chains": list(range(chains)),
        "settings": settings,
    }  # fmt: skip


@pytest.mark.parametrize("rule", ["symmetric-all", "magri", "symmetric-one"])
@pytest.mark.parametrize("name", ["ilokano", "spanish", "tagalog", "finnish"])
def test_the_gla_ends_at_the_same_ranking_values(page, name, rule):
    tableau = read(name)
    fit = fit_gla(tableau, trials=20_000, runs=3, seed=2005, rule=rule)
    data = page.evaluate("() => ({ rule: DATA.rules, schedules: DATA.schedules })")
    noise = tableau_data(tableau)["noise"]
    found = page.evaluate(
        RUN,
        job("gla", tableau, 2005, 3, trials=20_000, noise=noise, initial=100, rule=data["rule"].index(rule),
            **data["schedules"]["otsoft"]),
    )  # fmt: skip
    for view, there in zip(fit.views, found["chains"], strict=True):
        assert there["values"] == view.values.tolist()
        assert there["errors"] == view.errors


@pytest.mark.parametrize(("name", "trials"), [("ilokano", 100), ("spanish", 20_001), ("finnish", 5000)])
def test_the_trace_is_that_of_the_lab(page, name, trials):
    tableau = read(name)
    every = page.evaluate("traceEvery", trials)
    learner = GLA(tableau, schedule=schedule("otsoft", trials), record_every=every)
    views = inference.fit(learner, steps=trials, chains=2, seed=5).views
    plan, noise = page.evaluate("DATA.schedules.otsoft"), tableau_data(tableau)["noise"]
    asked = job("gla", tableau, 5, 2, trials=trials, noise=noise, initial=100, rule=2, **plan)
    found = page.evaluate(RUN, asked)
    for view, rows in zip(views, found["draws"], strict=True):
        assert view.trace.ravel().tolist() == rows
        assert len(view.trace) == trials // every


@pytest.mark.parametrize(("constraints", "runs", "most"), [(4, 3, 5000), (10, 100, 9000), (128, 100, 9000)])
def test_a_large_trace_is_drawn_with_few_points(page, constraints, runs, most):
    drawn = page.evaluate(
        """([k, runs]) => {
          const one = () => Float64Array.from({ length: 256 * k }, (_, n) => n % 7)
          const rows = Array.from({ length: runs }, one), names = Array.from({ length: k }, (_, i) => `C${i}`)
          const chart = traceChart(names, { total: 25600, every: 100, rows })
          const drawn = [...chart.querySelectorAll("g.trace path")].map(path => path.getAttribute("d"))
          return [drawn.reduce((sum, d) => sum + d.split("L").length - 1, 0), drawn.length]
        }""",
        [constraints, runs],
    )
    assert drawn[0] <= most
    assert drawn[1] >= 2 * constraints  # the mean of each, and the line to its name


PAIRS = [
    ("ilokano", (("I_BR", "AL"), ("AL", "*C-ONS"))),
    ("spanish", (("A", "M"),)),
    ("finnish", (("*L.L", "*H/O"), ("*H/O", "*X.X"), ("*L.L", "*H/I"))),
]


@pytest.mark.parametrize(("name", "pairs"), PAIRS)
def test_a_priori_rankings_are_kept_as_in_the_lab(page, name, pairs):
    tableau = read(name)
    data = tableau_data(tableau)
    numbers = [[tableau.constraints.index(name) for name in pair] for pair in pairs]
    plan = page.evaluate("DATA.schedules.otsoft")
    here = fit_gla(tableau, trials=5000, runs=2, seed=3, apriori=pairs)
    asked = job("gla", tableau, 3, 2, trials=5000, noise=data["noise"], initial=100, rule=2, **plan)
    asked["settings"]["apriori"] = numbers
    found = page.evaluate(RUN, asked)["chains"]
    assert [chain["values"] for chain in found] == [view.values.tolist() for view in here.views]
    free = page.evaluate(RUN, {**asked, "settings": {**asked["settings"], "apriori": []}})["chains"]
    assert [chain["values"] for chain in free] != [chain["values"] for chain in found]
    try:
        here = fit_gibbs(tableau, sweeps=200, chains=2, seed=3, apriori=pairs)
    except InputError:
        assert name == "finnish"  # which has forms that no ranking allows
        return
    settings = {"sweeps": 200, "noise": data["noise"], "bound": data["bound"], "apriori": numbers}
    found = page.evaluate(RUN, job("gibbs", tableau, 3, 2, **settings))["draws"]
    for view, there in zip(here.views, found, strict=True):
        draws = np.reshape(there, view.draws.shape)
        assert draws.tolist() == view.draws.tolist()
        assert all((draws[:, a] >= draws[:, b]).all() for a, b in numbers)


@pytest.mark.parametrize("preset", ["praat", "constant", "geometric", "lin"])
def test_schedules_are_those_of_the_lab(page, preset):
    tableau = read("ilokano")
    fit = fit_gla(tableau, trials=10_001, runs=1, seed=7, plan=preset)
    chosen = page.evaluate("name => DATA.schedules[name]", preset)
    found = page.evaluate(
        RUN, job("gla", tableau, 7, 1, trials=10_001, noise=1, initial=100, rule=2, **chosen)
    )
    assert found["chains"][0]["errors"] == fit.views[0].errors
    if preset in ("praat", "constant"):
        assert found["chains"][0]["values"] == fit.views[0].values.tolist()
    else:  # the browser's power may differ from Python's in the last bit, 10,000 of which are multiplied
        assert found["chains"][0]["values"] == pytest.approx(fit.views[0].values.tolist(), rel=1e-9)


@pytest.mark.parametrize("seed", [1, 2005])
@pytest.mark.parametrize("name", ["ilokano", "spanish", "lin2005_table2", "nasal", "td_deletion_chicano"])
def test_gibbs_draws_are_the_same_to_the_last_bit(page, name, seed):
    tableau = read(name)
    data = tableau_data(tableau)
    fit = fit_gibbs(tableau, sweeps=300, chains=2, seed=seed)
    found = page.evaluate(
        RUN, job("gibbs", tableau, seed, 2, sweeps=300, noise=data["noise"], bound=data["bound"])
    )
    for view, there in zip(fit.views, found["draws"], strict=True):
        assert there == view.draws.ravel().tolist()


def test_probabilities_are_exact(page):
    rng = np.random.default_rng(2)
    for tableau in sample_tableaux():
        values = rng.normal(0, 2, tableau.n_constraints)
        noise = tableau_data(tableau)["noise"]
        found = page.evaluate(
            """async ([tableau, values, noise]) => {
              const kernels = await kernelsOf(MODULE, DATA.signatures)
              return probabilitiesOf(kernels, planOf(tableau, relationsOf(tableau)), [values], noise)[0]
            }""".replace("MODULE", MODULE),
            [tableau_data(tableau), values.tolist(), noise],
        )
        assert found == pytest.approx(predict(tableau, values, noise).probability, abs=1e-13), tableau.name


def test_estimates_are_those_of_the_lab(page):
    tableau = read("ilokano")
    fit = fit_gibbs(tableau, sweeps=2000, chains=4, seed=1)
    found = page.evaluate(
        f"""async job => {{
          const run = await ({RUN})(job), k = job.tableau.constraints.length
          const draws = countedDraws(run.draws.map(d => Float64Array.from(d)), k, 1, job.settings.sweeps)
          const kernels = await kernelsOf({MODULE}, DATA.signatures)
          const summary = summaryOf(kernels, {{ ...job, draws, chains: 4, noise: 1, sampled: true }})
          return {{ summary, badge: verdict(summary.trust) }}
        }}""",
        job("gibbs", tableau, 1, 4, sweeps=2000, noise=1, bound=6),
    )
    columns, predicted = found["summary"]["columns"], found["summary"]["predicted"]
    for name in ("mean", "sd", "median"):
        assert [column[name] for column in columns] == pytest.approx(fit.parameters[name].tolist(), rel=1e-9)
    for name in ("mean", "low", "high"):
        assert [row[name] for row in predicted] == pytest.approx(
            getattr(fit.predicted, name).tolist(), abs=1e-12
        )
    assert found["badge"]["words"] == fit.trust.verdict
    assert found["badge"]["rhat"] == pytest.approx(fit.trust.largest_rhat, rel=1e-9)
    assert found["badge"]["ess"] == pytest.approx(fit.trust.smallest_ess, rel=1e-9)


def field(page, label):
    return page.get_by_label(label, exact=True)


def test_a_visitor_edits_runs_stops_and_undoes(browser, tmp_path):
    visit = Visit(browser)
    page = opened(visit, tmp_path, read("ilokano"))
    field(page, "Count of bub.wa.ja").fill("4")
    field(page, "Count of bub.wa.ja").press("Enter")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Gibbs: finished").wait_for()
    card = page.get_by_role("region", name="Gibbs", exact=True)
    card.get_by_text("Converged", exact=True).wait_for()
    page.get_by_role("region", name="Observed and predicted").get_by_text("66.7").first.wait_for()  # 4 of 6
    page.get_by_role("button", name="Undo").click()
    assert field(page, "Count of bub.wa.ja").input_value() == "1"
    card.get_by_text("from the tableau before it was edited").wait_for()
    # a long run is stopped, and what it has learnt is shown
    field(page, "Learner").select_option("gla")
    field(page, "Trials").fill("100000000")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("region", name="GLA", exact=True).wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("GLA: stopped at").wait_for()
    # names and numbers that break a rule are refused with words
    field(page, "Constraint 1").fill("AL")
    field(page, "Constraint 1").press("Enter")
    page.get_by_text("Two constraints are called").wait_for()
    field(page, "Constraint 1").fill("NoCoda")
    field(page, "Constraint 1").press("Enter")
    page.get_by_text("Two constraints are called").wait_for(state="hidden")
    page.get_by_role("button", name="Add a constraint").click()
    assert [field(page, f"Constraint {n}").input_value() for n in (1, 4)] == ["NoCoda", "C4"]
    visit.close()


def test_what_the_page_saves_is_what_otlab_reads(page, tmp_path):
    for tableau in sample_tableaux():
        written = page.evaluate("csvOf", tableau_data(tableau))
        (tmp_path / "saved.csv").write_text(written, encoding="utf-8")
        assert tableau_data(read(tmp_path / "saved.csv")) == tableau_data(tableau), tableau.name


def test_what_otlab_saves_is_what_the_page_reads(page):
    for tableau in sample_tableaux():
        text = to_csv(replace(tableau, groups=None))  # the page has no place for speakers and items
        found = page.evaluate("([text, name]) => tableauOf(text, name)", [text, tableau.name])
        assert found["faults"] == []
        assert found["tableau"] == tableau_data(tableau), tableau.name
    odd = read("ilokano").rename_constraint(0, 'a "b", c').rename_candidate(0, "x, y")
    there = page.evaluate("text => tableauOf(text, 'x')", to_csv(odd))
    assert there["tableau"] == tableau_data(odd)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "the first row is not Input"),
        ("Input,Output,Frequency,C\nx,,1\nx,z,1,u\n", "line 2: there is no candidate"),
        ("Input,Output,Frequency,C\nx,y,1\nx,z,1,u\n", "line 3: u is not a number"),
        ("# noise: -1\nInput,Output,Frequency,C\nx,y,1,0\n", "noise: -1 is not a number above 0"),
        ("Input,Output,Frequency,C\nx,y,1,0\nx,y,1,1\n", "are called"),
    ],
)
def test_faults_of_a_file_are_told_together(page, text, said):
    assert said in "; ".join(page.evaluate("text => tableauOf(text, 'x').faults", text))


def test_a_file_is_opened_and_undone(browser, tmp_path):
    visit = Visit(browser)
    page = opened(visit, tmp_path, read("ilokano"))
    (tmp_path / "other.csv").write_text(to_csv(read("spanish")), encoding="utf-8")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "other.csv")
    page.get_by_role("heading", name="Spanish diminutives").wait_for()
    assert field(page, "Candidate 1 of uba").input_value() == "ubita"
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="Ilokano reduplication").wait_for()
    assert field(page, "Observations per input").input_value() == "99"
    (tmp_path / "bad.csv").write_text("a,b\n", encoding="utf-8")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "bad.csv")
    page.get_by_text("the first row is not Input").wait_for()
    visit.close()


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_everybody_can_use_it(browser, tmp_path, size):
    visit = Visit(browser, size)
    page = opened(visit, tmp_path, read("ilokano"))
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Gibbs: finished").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    page.get_by_role("button", name="Dark").click()
    assert_accessible(page)
    visit.close()
