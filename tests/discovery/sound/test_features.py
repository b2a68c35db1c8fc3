"""Features agree with python_speech_features 0.6, and files of features are read."""

import numpy as np
import pytest
import soundfile

from otlab.discovery.sound.features import Mfcc, deltas, read_htk, read_npy, standardised
from otlab.discovery.sound.speech import read_speech
from otlab.errors import InputError
from otlab.inference.blas import one_blas_thread

# Frames 0 and 7 of python_speech_features 0.6: mfcc(x, 16000, nfft=512, winfunc=np.hamming), delta(mfcc, 2)
PEER = """
    -0.639048 13.977519 -0.858525 42.563822 -18.062019 -91.428419 -23.621454
    -21.774424 -94.034651 -19.793897 44.772388 -17.229876 5.449123
    -0.248443 16.765609 -20.090779 -2.692341 -51.226228 -82.122719 31.207181
    68.251828 1.552962 37.61079 41.557835 -65.71666 -54.757671
"""
PEER_SLOPES = """
    0.030531 1.239292 -2.823368 -3.879828 -3.408884 -3.025203 -0.645598
    3.968858 8.431336 10.529915 9.202457 5.542404 1.157851
    0.055899 0.029257 -2.44758 -5.210199 0.189924 8.147902 11.142826
    8.476056 -0.526265 -12.211976 -16.901279 -10.856853 0.34969
"""


def numbers(text):
    return np.array(text.split(), dtype=float).reshape(2, 13)


def chirp():
    t = np.arange(3200) / 16000
    return 0.5 * np.sin(2 * np.pi * (300 * t + 2000 * t * t)) + 0.1 * np.sin(5000 * np.pi * t) * np.cos(9 * t)


def test_cepstra_and_slopes_are_those_of_the_peer():
    found = Mfcc(16000).of([chirp()])
    cut = [chirp()[:1000], np.zeros(0), chirp()[1000:]]  # an empty block changes nothing
    assert Mfcc(16000).of(cut) == pytest.approx(found, abs=1e-12)
    assert found.shape == (18, 13)  # whole windows only; the peer pads a 19th
    assert found[[0, 7]] == pytest.approx(numbers(PEER), abs=1e-6)
    assert deltas(found)[[0, 7]] == pytest.approx(numbers(PEER_SLOPES), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 160, 399, 1000])
def test_cepstra_do_not_depend_on_the_blocks(size):
    blocks = [chirp()[k : k + size] for k in range(0, 3200, size)]
    assert Mfcc(16000).of(blocks) == pytest.approx(Mfcc(16000).of([chirp()]), abs=1e-9)


def test_features_do_not_depend_on_the_threads_of_blas():
    sound = np.random.default_rng(1).normal(size=3 * 16000)
    with one_blas_thread():
        limited = Mfcc(16000).of([sound])
    np.testing.assert_array_equal(Mfcc(16000).of([sound]), limited)


def test_slopes_of_a_line_are_its_slope():
    line = np.outer(np.arange(9.0), [1.0, -2.0])
    assert deltas(line)[2:-2] == pytest.approx(np.tile([1.0, -2.0], (5, 1)))
    # by hand, at the edge: (1 (x1 - x0) + 2 (x2 - x0)) / 10
    assert deltas(line)[0] == pytest.approx([0.5, -1.0])


def test_each_speaker_is_standardised_alone():
    rng = np.random.default_rng(1)
    values = rng.normal(3, 2, (50, 2))
    values[:, 1] = 7.0
    groups = np.repeat([0, 1], [20, 30])
    found = standardised(values.copy(), groups)
    for g in (0, 1):
        assert found[groups == g].mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
        assert found[groups == g].std(axis=0) == pytest.approx([1, 0], abs=1e-12)


def htk(values, period=100_000, kind=9):
    rows, columns = values.shape
    header = np.array([rows, period], ">i4").tobytes() + np.array([4 * columns, kind], ">i2").tobytes()
    return header + values.astype(">f4").tobytes()


def test_features_from_files(tmp_path):
    values = np.random.default_rng(2).normal(size=(40, 5)).astype(np.float32)
    found, period = read_htk(htk(values), "a.htk")
    assert period == pytest.approx(0.01)
    np.testing.assert_array_equal(found, values)
    np.save(tmp_path / "a.npy", values)
    (tmp_path / "b.htk").write_bytes(htk(values))
    speech = read_speech(tmp_path)
    assert (speech.names, speech.hop, speech.window) == (("a", "b"), 0.01, 0.01)
    assert speech.features[:40] == pytest.approx(speech.features[40:])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\0" * 5, "shorter than its header"),
        (htk(np.zeros((4, 3)))[:-1], "cut off"),
        (htk(np.zeros((4, 3)), kind=0o2011), "compressed"),
        (htk(np.full((4, 3), np.nan)), "inf or nan"),
    ],
)
def test_faulty_htk_files_are_refused(data, what):
    with pytest.raises(InputError, match=rf"x\.htk: .*{what}"):
        read_htk(data, "x.htk")


def test_faulty_npy_files_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"x\.npy: is no \.npy array"):
        read_npy(b"\x93NUMPY", "x.npy")
    np.save(tmp_path / "x.npy", np.zeros(4))
    with pytest.raises(InputError, match=r"has shape \(4,\)"):
        read_npy((tmp_path / "x.npy").read_bytes(), "x.npy")


def test_features_of_two_kinds_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(1).normal(size=(9, 3)))
    soundfile.write(tmp_path / "b.wav", chirp(), 16000)
    with pytest.raises(InputError, match="b: has 39 dimensions each 10 ms; a has 3"):
        read_speech(tmp_path)
