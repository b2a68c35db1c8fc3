"""Corpora, made-up ones, dictionaries, merging."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from otlab.errors import InputError
from otlab.samples import find_sample, load_sample
from otlab.tagging import Corpus, Normalize, TagDictionary, fit_em, merge_states, simulate_hmm
from otlab.tagging.hmm.parameters import Counts

TEXT = [[("The", "DT"), ("2", "CD"), ("dogs", "NNS")], [("the", "DT"), ("dog", "NN")]]


def test_sentences_come_back():
    assert list(Corpus.from_sentences(TEXT)) == TEXT
    assert list(Corpus.from_sentences([["a", "b"], []])) == [[("a", ""), ("b", "")]]


def test_tags_are_numbered_by_frequency():
    corpus = Corpus.from_sentences(TEXT)
    assert corpus.tagset[0] == "DT"
    assert corpus.tag_counts.tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("normalize", "vocabulary"),
    [
        (Normalize(), ("The", "2", "dogs", "the", "dog")),
        (Normalize(lowercase=True), ("the", "2", "dogs", "dog")),
        (Normalize(digits=True), ("The", "0", "dogs", "the", "dog")),
        (Normalize(lowercase=True, least=2), ("the", "UNK")),
    ],
)
def test_words_may_be_normalised(normalize, vocabulary):
    corpus = Corpus.from_sentences(TEXT, normalize=normalize)
    assert corpus.vocabulary == vocabulary
    assert corpus.normalize == normalize
    assert corpus.word_counts.sum() == 5


def test_tokens_that_are_none_are_named_by_their_place():
    wrong = [["a", ("b", "X", "Y")], [3, ("c", 4), "", ("d", "")]]
    with pytest.raises(InputError) as caught:
        Corpus.from_sentences(wrong, "mine")
    places = ["token 2 of sentence 1", "token 1 of sentence 2", "token 2 ", "token 3 ", "token 4 "]
    assert len(caught.value.faults) == len(places)
    for fault, place in zip(caught.value.faults, places, strict=True):
        assert fault.what.startswith(place)
        assert fault.file == "mine"


def test_a_generator_of_conllu_tokens():
    words = [{"id": 1, "form": "Do", "xpos": "VB"}, {"id": (1, "-", 2), "form": "Don't"}]
    assert list(Corpus.from_sentences(iter([words]))) == [[("Do", "VB")]]


@pytest.mark.parametrize("wrong", [[], [[]], [[("a", "N"), "b"]], [["a"], [("b", "N")]]])
def test_empty_and_half_tagged_corpora_are_refused(wrong):
    with pytest.raises(InputError):
        Corpus.from_sentences(wrong)


def test_a_word_cannot_be_required_zero_times():
    with pytest.raises(InputError):
        Normalize(least=0)


def test_the_first_sentences():
    part = Corpus.from_sentences(TEXT).first(1)
    assert list(part) == TEXT[:1]
    assert part.types == 3
    assert len(part.tagset) == 3


def test_the_sample():
    corpus = load_sample("ewt")
    assert (corpus.tokens, corpus.types, corpus.sentences, len(corpus.tagset)) == (32228, 7078, 2000, 49)
    assert corpus.tagset[:2] == ("NN", "IN")


def test_the_finnish_sample():
    corpus = load_sample("tdt")
    assert (corpus.tokens, corpus.sentences, len(corpus.tagset)) == (18308, 1364, 12)
    sample = find_sample("tdt_sample", "tagging")
    assert "CC BY-SA 4.0" in sample.source
    notice = sample.path.with_name("NOTICE.txt").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in notice
    assert "Attribution-ShareAlike" in sample.path.with_name("LICENSE.txt").read_text(encoding="utf-8")


class TestSimulation:
    def test_it_is_skewed_and_reproducible(self):
        one, other = simulate_hmm(5000, 3), simulate_hmm(5000, 3)
        assert np.array_equal(one.words, other.words)
        assert one.tokens >= 5000
        assert one.tag_counts[:3].sum() > 0.5 * one.tokens

    def test_words_and_tags_have_the_sizes_asked_for(self):
        corpus = simulate_hmm(4000, 1, tags=5, types=60, ambiguity=0)
        assert len(corpus.tagset) <= 5
        assert corpus.types <= 60
        pairs = {(w, t) for w, t in zip(corpus.words.tolist(), corpus.tags.tolist(), strict=True)}
        assert len(pairs) == corpus.types

    @pytest.mark.parametrize("wrong", [{"tokens": 0}, {"tags": 0}, {"types": 3, "tags": 5}, {"length": 0.5}])
    def test_impossible_sizes(self, wrong):
        with pytest.raises(InputError):
            simulate_hmm(**{"seed": 1, **wrong})


class TestDictionary:
    def test_a_corpus_dictionary_allows_what_was_seen(self):
        corpus = Corpus.from_sentences([[("a", "N"), ("a", "V"), ("b", "N")]])
        assert TagDictionary.of(corpus).mask(corpus, 2).tolist() == [[True, True], [True, False]]
        assert TagDictionary.of(corpus, least=2).mask(corpus, 2)[1].all()

    def test_a_file(self, tmp_path):
        path = tmp_path / "d.txt"
        path.write_text("# comment\nthe DT\n\ncan MD NN VB\n", encoding="utf-8")
        assert TagDictionary.read(path).allowed == {"the": ("DT",), "can": ("MD", "NN", "VB")}

    def test_all_faults_of_a_file(self, tmp_path):
        path = tmp_path / "d.txt"
        path.write_text("the\na DT\na NN\n", encoding="utf-8")
        with pytest.raises(InputError) as caught:
            TagDictionary.read(path)
        assert [(fault.line, fault.file) for fault in caught.value.faults] == [(1, "d.txt"), (3, "d.txt")]

    def test_unknown_tags_and_too_few_states(self):
        corpus = Corpus.from_sentences(TEXT)
        with pytest.raises(InputError, match="'NNX'"):
            TagDictionary({"dog": ("NNX",)}).mask(corpus, 9)
        with pytest.raises(InputError, match=f"too few.*use {len(corpus.tagset)} states or more"):
            TagDictionary.of(corpus).mask(corpus, 1)
        with pytest.raises(InputError, match="2 states are too few for the tags of 'can'; use 3 states"):
            TagDictionary({"the": ("DT",), "can": ("MD", "NN")}).mask(
                Corpus.from_sentences([["the", "can"]]), 2
            )
        with pytest.raises(InputError, match="no tags"):
            TagDictionary.of(Corpus.from_sentences([["a"]]))

    def test_a_text_without_tags_takes_them_from_the_dictionary_in_its_order(self):
        corpus = Corpus.from_sentences([["the", "cat", "can"]])
        dictionary = TagDictionary({"the": ("DT",), "can": ("MD", "NN")})
        assert dictionary.tags(corpus) == ("DT", "MD", "NN")
        assert dictionary.mask(corpus, 3).tolist() == [[True, False, False], [True] * 3, [False, True, True]]
        partly = Corpus.from_sentences([[("the", "X"), ("can", None)]])
        assert dictionary.tags(partly) == ("X", "DT", "MD", "NN")
        with pytest.raises(InputError, match=r"no word of the text is in the tag dictionary \(1 word\)"):
            TagDictionary({"THE": ("DT",)}).mask(corpus, 3)


class TestMerging:
    def test_the_tree_joins_states_that_behave_alike(self):
        corpus = simulate_hmm(6000, 3, tags=4, types=80, ambiguity=0)
        # Tags split at random into two states each: merging must put the halves together.
        halves = np.random.default_rng(1).integers(0, 2, corpus.tokens)
        labels = (corpus.tags * 2 + halves).astype(np.int16)
        tags = len(corpus.tagset)
        tree = merge_states(corpus, labels, 2 * tags)
        assert {frozenset(pair) for pair in tree.merges[:tags]} == {
            frozenset((2 * t, 2 * t + 1)) for t in range(tags)
        }
        assert tree.scores[tags].one_to_one == 1
        assert tree.scores[0].one_to_one < 0.7
        assert np.array_equal(tree.groups(tags), np.repeat(np.arange(0, 2 * tags, 2), 2))

    def test_every_loss_is_an_entropy_lost(self):
        corpus = simulate_hmm(2000, 3, tags=4, types=80)
        view = fit_em(corpus, states=6, iterations=10, seed=1).view
        tree = merge_states(corpus, view.labels, 6)
        assert len(tree.merges) == view.states_used - 1
        assert min(tree.losses) >= 0
        assert tree.scores[-1].v_measure == 0
        assert np.array_equal(tree.groups(6), np.arange(6))

    def test_every_merge_loses_least_of_all_pairs_by_counting_anew(self):
        corpus = simulate_hmm(300, 5, tags=4, types=12, length=6)
        states = 6
        labels = np.random.default_rng(2).integers(0, states, corpus.tokens).astype(np.int16)

        def information(labels):
            counts = Counts.of_labels(corpus.words, labels, corpus.offsets, corpus.types, states)
            total = 0.0
            for table in (counts.emissions, counts.transitions):
                share = table / table.sum()
                free = share.sum(1, keepdims=True) * share.sum(0)
                used = share > 0
                total += table.sum() * (share[used] * np.log2(share[used] / free[used])).sum()
            return total

        tree = merge_states(corpus, labels, states)
        alive = list(range(states))
        for pair, loss in zip(tree.merges, tree.losses, strict=True):
            lost = {
                (a, b): information(labels) - information(np.where(labels == b, a, labels))
                for a, b in combinations(alive, 2)
            }
            assert min(lost, key=lost.get) == pair
            assert loss == pytest.approx(lost[pair], abs=1e-8)
            labels = np.where(labels == pair[1], pair[0], labels)
            alive.remove(pair[1])

    def test_an_untagged_corpus_has_a_tree_without_scores(self):
        corpus = Corpus.from_sentences([["a", "b", "a"]])
        assert merge_states(corpus, np.array([0, 1, 0], np.int16), 3).scores == []


def test_some_sentences_are_a_corpus_of_their_own():
    text = [[("b", "X"), ("a", "Y")], [("c", "Z")], [("a", "Y"), ("c", "Y"), ("b", "X")]]
    part = Corpus.from_sentences(text).select(np.array([False, True, True]))
    alone = Corpus.from_sentences(text[1:])
    assert list(part) == text[1:]
    assert part.vocabulary == alone.vocabulary == ("c", "a", "b")
    assert part.tagset[0] == "Y"
    assert np.array_equal(part.tag_counts, alone.tag_counts)
    assert np.array_equal(part.words, alone.words)
    assert np.array_equal(part.offsets, alone.offsets)
