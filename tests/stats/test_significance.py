"""Paired tests and corrections, against enumeration, simulation and hand computation.

Tolerances of simulations are computed so that a correct program fails with a chance below 1e-6.
"""

from __future__ import annotations

import math
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.stats import significance
from structiou_metric.stats.significance import Randomization, group_letters, holm, paired_test

np = pytest.importorskip("numpy")

ALARM = 1e-6  # chance of a false alarm
SIGMAS = 4.9  # a normal deviate is further out with that chance

STATISTICS = {
    "sentence": lambda sums: sums["score"] / sums["count"],
    "corpus": lambda sums: 2 * sums["matched"] / (sums["n_pred"] + sums["n_ref"]),
    "precision": lambda sums: sums["matched"] / sums["n_pred"],
    "recall": lambda sums: sums["matched"] / sums["n_ref"],
}
MEAN = STATISTICS["sentence"]
CORPUS = STATISTICS["corpus"]


def f_scores(matched, n_pred, n_ref):
    return {"matched": matched, "n_pred": n_pred, "n_ref": n_ref}


def means(scores):
    return {"count": [1] * len(scores), "score": scores}


def slow_value(columns, statistic, rows):
    """A statistic by its definition, over rows that may come twice."""
    return statistic({name: math.fsum(column[row] for row in rows) for name, column in columns.items()})


def slow_swaps(a, b, statistic):
    """The difference after every swap of rows between two systems, none first."""
    n_rows = len(next(iter(a.values())))
    differences = []
    for swap in product((False, True), repeat=n_rows):
        sides = [
            {name: [pair[swap[row]][name][row] for row in range(n_rows)] for name in a}
            for pair in ((a, b), (b, a))
        ]
        values = [slow_value(side, statistic, range(n_rows)) for side in sides]
        differences.append(values[0] - values[1])
    return differences


@st.composite
def systems(draw, max_rows=7):
    """The columns of two systems: brackets that match, of the prediction and of a common reference."""
    n_rows = draw(st.integers(1, max_rows))
    n_ref = draw(st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows))
    columns = []
    for _ in range(2):
        n_pred = draw(st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows))
        matched = [draw(st.integers(0, min(pair))) for pair in zip(n_pred, n_ref, strict=True)]
        columns.append(f_scores(matched, n_pred, n_ref))
    return columns


# ---- against enumeration ---------------------------------------------------------------------------


@given(systems(), st.sampled_from(["corpus", "precision", "recall"]))
def test_randomization_is_exact_on_few_sentences(pair, name):
    a, b = pair
    statistic = STATISTICS[name]
    differences = slow_swaps(a, b, statistic)
    want = sum(abs(d) >= abs(differences[0]) - 1e-12 for d in differences) / len(differences)
    found = paired_test(a, b, statistic, n_resamples=128)
    assert found.exact
    assert found.p_value == pytest.approx(want, abs=1e-12)
    assert found.difference == pytest.approx(differences[0], abs=1e-12)


def test_randomization_by_hand():
    # Swapping signs of 1, 1 and 2: of 8 sums, ±4 (2 of them) are as far as 4, the data's.
    a, b = means([0.5, 0.6, 0.9]), means([0.4, 0.5, 0.7])
    found = paired_test(a, b, MEAN)
    assert (found.p_value, found.exact) == (0.25, True)
    # Signs of 1, -1 and 2: sums ±2 four times and ±4, 0 twice each; as far as 2 are 6 of 8.
    found = paired_test(means([0.5, 0.5, 0.9]), means([0.4, 0.6, 0.7]), MEAN)
    assert found.p_value == 0.75


def test_randomization_by_chance_is_near_the_enumeration():
    rng = np.random.default_rng(5)
    n_rows, n_resamples = 10, 1000
    n_ref = rng.integers(5, 20, n_rows)
    a, b = (
        f_scores((n_ref * rng.beta(8, k, n_rows)).tolist(), n_ref.tolist(), n_ref.tolist()) for k in (2, 3)
    )
    differences = slow_swaps(a, b, CORPUS)
    want = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    found = paired_test(a, b, CORPUS, n_resamples=n_resamples)
    assert not found.exact  # 1024 swaps are more than 1000
    assert found.p_value == pytest.approx(
        want, abs=SIGMAS * math.sqrt(want * (1 - want) / n_resamples) + 1e-3
    )
    assert paired_test(a, b, CORPUS, n_resamples=1024).p_value == pytest.approx(want)


def test_randomization_leaves_equal_sentences_alone():
    a = means([0.5, 0.6, 0.9, *[0.7] * 500])
    b = means([0.4, 0.5, 0.7, *[0.7] * 500])
    found = paired_test(a, b, MEAN)
    assert (found.p_value, found.exact) == (0.25, True)


# ---- in simulations --------------------------------------------------------------------------------


def uniform_distance(p_values, n_resamples):
    """The greatest distance of the shares below k / (n_resamples + 1) from what they should be."""
    grid = np.arange(1, n_resamples + 2) / (n_resamples + 1)
    shares = np.searchsorted(np.sort(p_values), grid + 1e-9, side="right") / len(p_values)
    return np.max(np.abs(shares - grid))


def simulate(statistic, n_sentences, n_resamples, n_trials, gain=0.0):
    """p-values of two systems with errors of the same kind; the second is better by `gain`."""
    rng = np.random.default_rng(11)
    found = []
    for trial in range(n_trials):
        n_ref = rng.integers(5, 60, n_sentences)
        a, b = (
            {**f_scores(x := n_ref * y, n_ref, n_ref), "count": y * 0 + 1, "score": x / n_ref}
            for y in (rng.beta(8, 2, n_sentences), np.minimum(1, rng.beta(8, 2, n_sentences) + gain))
        )
        found.append(paired_test(a, b, statistic, n_resamples=n_resamples, seed=trial).p_value)
    return np.array(found)


@pytest.mark.parametrize("statistic", [MEAN, CORPUS], ids=["sentence", "corpus"])
def test_p_is_uniform_for_equal_systems(statistic):
    n_trials, n_resamples = 800, 199
    p_values = simulate(statistic, 30, n_resamples, n_trials)
    # Dvoretzky, Kiefer, Wolfowitz and Massart: further away with a chance of at most 2 exp(-2 n d²).
    tolerance = math.sqrt(math.log(2 / ALARM) / (2 * n_trials))
    assert uniform_distance(p_values, n_resamples) <= tolerance


def test_p_is_small_for_different_systems():
    p_values = simulate(CORPUS, 200, 199, 20, gain=0.1)
    assert p_values.tolist() == [1 / 200] * 20


def test_p_is_one_for_the_same_system():
    columns = means([0.1, 0.7, 0.3])
    assert paired_test(columns, columns, MEAN).p_value == 1.0


def test_p_does_not_depend_on_the_order_of_systems():
    rng = np.random.default_rng(1)
    a, b = means(rng.random(40).tolist()), means(rng.random(40).tolist())
    one, other = (paired_test(*pair, MEAN, n_resamples=500) for pair in ((a, b), (b, a)))
    assert one.difference == -other.difference
    assert one.p_value == other.p_value


# ---- seeds and blocks ------------------------------------------------------------------------------


@pytest.fixture
def noise():
    rng = np.random.default_rng(0)
    return [means(rng.random(333).tolist()) for _ in range(3)]


def test_paired_test_repeats_with_its_seed(noise):
    p_values = [paired_test(*noise[:2], MEAN, n_resamples=999, seed=seed).p_value for seed in (1, 1, 2)]
    assert p_values[0] == p_values[1] != p_values[2]


# ---- swap by swap ----------------------------------------------------------------------------------


def slow_coins(n_rows, n_resamples, seed):
    """Which rows each swap changes: the bits of whole words of 32."""
    rng = np.random.default_rng(seed)
    n_bytes = (n_rows + 31) // 32 * 4
    swaps = [rng.bytes(n_bytes) for _ in range(n_resamples)]
    return [[row for row in range(n_rows) if coins[row // 8] >> (7 - row % 8) & 1] for coins in swaps]


def sums_of(samples, name):
    """The sums of a column in all samples, as a statistic sees them."""
    found = []

    def see(sums):
        found.append(sums[name])
        return sums[name]

    samples(see)
    return np.atleast_1d(found[-1])


@pytest.fixture
def rough():
    """Columns of whole numbers, whose sums are the same in whatever order, and of others."""

    def make(n_rows, seed=0):
        rng = np.random.default_rng(seed)
        return {"n": rng.integers(0, 100, n_rows), "x": rng.normal(size=n_rows), "count": np.ones(n_rows)}

    return make


@pytest.mark.parametrize(
    "n_rows, limit, tile",
    [(333, 8192, 2048), (333, 0, 2048), (333, 0, 64), (320, 100, 64), (8200, 8192, 2048)],
)
def test_swaps_are_those_of_single_coins(rough, n_rows, limit, tile, monkeypatch):
    monkeypatch.setattr(significance, "_LIMIT", limit)
    monkeypatch.setattr(significance, "_TILE", tile)
    a, b = rough(n_rows), rough(n_rows, seed=1)
    swaps = Randomization(a, b, n_resamples=70, seed=9)
    coins = slow_coins(n_rows, 70, 9)
    assert not swaps.exact
    gains = {name: b[name] - a[name] for name in a}
    # A statistic sees the first system's sums, then the second's.
    assert sums_of(swaps.test, "n").tolist() == [b["n"].sum() - gains["n"][rows].sum() for rows in coins]
    want = [math.fsum(b["x"]) - math.fsum(gains["x"][rows]) for rows in coins]
    assert sums_of(swaps.test, "x") == pytest.approx(want, abs=1e-12 * n_rows)
    assert sums_of(swaps.test, "count").tolist() == [n_rows] * 70


# ---- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param({"b": means([1])}, r"the same number of sentences, not \[1, 2\]", id="lengths"),
        pytest.param(
            {"b": {"score": [1, 2]}}, r"same columns, not \['count', 'score'\] and \['score'\]", id="names"
        ),
        pytest.param({"a": {}, "b": {}}, "no columns", id="no columns"),
        pytest.param({"a": means([]), "b": means([])}, "no sentences", id="no sentences"),
        pytest.param({"b": means([1, math.nan])}, "finite numbers", id="nan"),
        pytest.param({"n_resamples": 0}, "n_resamples must be at least 1, not 0", id="no resamples"),
    ],
)
def test_paired_test_refuses(change, message):
    given_ = {"a": means([1, 2]), "b": means([2, 1]), **change}
    with pytest.raises(ValueError, match=message):
        paired_test(given_.pop("a"), given_.pop("b"), MEAN, **given_)


def test_resamples_may_be_counted_by_numpy():
    found = paired_test(means([1, 2]), means([2, 1]), MEAN, n_resamples=np.int64(9))
    assert found.exact


# ---- many pairs ------------------------------------------------------------------------------------


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8), st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_as_the_steps_do(p_values, alpha):
    # From the smallest on, each is compared with alpha over how many are left, up to the first failure.
    rejected = set()
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for k, i in enumerate(order):
        if p_values[i] * (len(p_values) - k) > alpha:
            break
        rejected.add(i)
    assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected


@given(st.data())
def test_letters_are_shared_by_those_that_do_not_differ(data):
    n_systems = data.draw(st.integers(1, 6))
    pairs = list(combinations(range(n_systems), 2))
    different = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    letters = group_letters(n_systems, different)
    for a, b in pairs:
        assert bool(set(letters[a]) & set(letters[b])) == ((a, b) not in different)
    assert all(letters)
    assert "a" in letters[0]


def test_letters_of_many_groups():
    letters = group_letters(30, combinations(range(30), 2))
    assert (letters[0], letters[25], letters[26], letters[29]) == ("a", "z", "(27)", "(30)")
