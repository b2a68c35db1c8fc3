"""docs/glossary.md has the definitions of the labs."""


def test_committed_page_is_up_to_date(make_glossary):
    assert make_glossary.PAGE.read_text(encoding="utf-8") == make_glossary.glossary(), (
        "run: python docs/make_glossary.py"
    )


def test_every_shared_term_is_on_the_page(make_glossary):
    page = make_glossary.glossary()
    for entry in make_glossary.GLOSSARY.values():
        assert f"- **{entry.name}.** {entry.meaning}" in page


def test_terms_of_a_lab_are_read_from_its_source(make_glossary, tmp_path):
    (tmp_path / "settings.py").write_text(
        'define("k", "Kettle", "Where " "water boils.", threshold="Above 100.")\n'
    )
    (entry,) = make_glossary.entries_of(tmp_path)
    assert (entry.name, entry.meaning, entry.threshold) == ("Kettle", "Where water boils.", "Above 100.")
