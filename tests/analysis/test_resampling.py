"""Intervals and paired tests, against enumeration, simulation and hand computation.

Tolerances of simulations are computed so that a correct program fails with a chance below 1e-6.
"""

from __future__ import annotations

import math
import sys
from itertools import combinations, islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric.analysis import draws, resampling
from structiou_metric.analysis.corrections import group_letters, holm
from structiou_metric.analysis.resampling import (
    METHODS,
    Bootstrap,
    Randomization,
    confidence_interval,
    paired_test,
)

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


def any_limit(test):
    """Runs a test twice: as for few sentences, and as for more than the limit."""
    return pytest.mark.parametrize("limit", [8192, 0], ids=["few", "many"])(test)


def test_statistic_may_be_any_function_of_sums():
    columns = {"words": [2, 4, 6], "errors": [1, 1, 1]}
    interval = confidence_interval(columns, lambda sums: sums["errors"] / sums["words"], n_resamples=200)
    assert interval.value == 0.25
    assert 1 / 6 <= interval.low < 0.25 < interval.high <= 0.5


# ---- against enumeration ---------------------------------------------------------------------------


@given(systems(), st.sampled_from(["corpus", "precision", "recall"]))
def test_randomization_is_exact_on_few_sentences(pair, name):
    a, b = pair
    statistic = STATISTICS[name]
    differences = slow_swaps(a, b, statistic)
    want = sum(abs(d) >= abs(differences[0]) - 1e-12 for d in differences) / len(differences)
    found = paired_test(a, b, statistic, method="randomization", n_resamples=128)
    assert found.exact
    assert found.p_value == pytest.approx(want, abs=1e-12)
    assert found.difference == pytest.approx(differences[0], abs=1e-12)


def test_randomization_by_hand():
    # Swapping signs of 1, 1 and 2: of 8 sums, ±4 (2 of them) are as far as 4, the data's.
    a, b = means([0.5, 0.6, 0.9]), means([0.4, 0.5, 0.7])
    found = paired_test(a, b, MEAN, method="randomization")
    assert (found.p_value, found.exact) == (0.25, True)
    # Signs of 1, -1 and 2: sums ±2 four times and ±4, 0 twice each; as far as 2 are 6 of 8.
    found = paired_test(means([0.5, 0.5, 0.9]), means([0.4, 0.6, 0.7]), MEAN, method="randomization")
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
    found = paired_test(a, b, CORPUS, method="randomization", n_resamples=n_resamples)
    assert not found.exact  # 1024 swaps are more than 1000
    assert found.p_value == pytest.approx(
        want, abs=SIGMAS * math.sqrt(want * (1 - want) / n_resamples) + 1e-3
    )
    assert paired_test(a, b, CORPUS, method="randomization", n_resamples=1024).p_value == pytest.approx(want)


def test_randomization_leaves_equal_sentences_alone():
    a = means([0.5, 0.6, 0.9, *[0.7] * 500])
    b = means([0.4, 0.5, 0.7, *[0.7] * 500])
    found = paired_test(a, b, MEAN, method="randomization")
    assert (found.p_value, found.exact) == (0.25, True)


@any_limit
@pytest.mark.parametrize("name", STATISTICS)
def test_bootstrap_is_near_the_enumeration(name, limit, monkeypatch):
    monkeypatch.setattr(draws, "_LIMIT", limit)
    monkeypatch.setattr(resampling, "FEW", 0)  # other bounds are the matter of `test_intervals`
    statistic = STATISTICS[name]
    a = {**f_scores([3, 5, 2, 7, 4], [4, 6, 5, 8, 4], [5, 6, 4, 9, 5]), **means([0.6, 0.8, 0.4, 0.8, 0.9])}
    b = {**f_scores([2, 5, 3, 5, 2], [4, 7, 5, 8, 5], [5, 6, 4, 9, 5]), **means([0.4, 0.8, 0.6, 0.6, 0.4])}
    n_resamples = 10_000
    samples = list(product(range(5), repeat=5))  # all 3125, equally likely
    values = [np.array([slow_value(side, statistic, rows) for rows in samples]) for side in (a, b)]
    differences = values[0] - values[1]
    difference = slow_value(a, statistic, range(5)) - slow_value(b, statistic, range(5))
    want = np.mean(np.abs(differences - difference) >= abs(difference) - 1e-12)
    tolerance = SIGMAS * math.sqrt(0.25 / n_resamples)
    bootstrap = Bootstrap([a, b], n_resamples=n_resamples)
    found = bootstrap.test(0, 1, statistic)
    assert found.difference == pytest.approx(difference, abs=1e-12)
    assert found.p_value == pytest.approx(want, abs=tolerance)
    for interval, everything in (
        (bootstrap.interval(0, statistic, level=0.8), values[0]),
        (bootstrap.difference(0, 1, statistic, level=0.8), differences),
    ):
        for bound, share in ((interval.low, 0.1), (interval.high, 0.9)):
            assert np.mean(everything < bound - 1e-12) <= share + tolerance
            assert np.mean(everything <= bound + 1e-12) >= share - tolerance


# ---- in simulations --------------------------------------------------------------------------------


def uniform_distance(p_values, n_resamples):
    """The greatest distance of the shares below k / (n_resamples + 1) from what they should be."""
    grid = np.arange(1, n_resamples + 2) / (n_resamples + 1)
    shares = np.searchsorted(np.sort(p_values), grid + 1e-9, side="right") / len(p_values)
    return np.max(np.abs(shares - grid))


def simulate(method, statistic, n_sentences, n_resamples, n_trials, gain=0.0):
    """p-values of two systems with errors of the same kind; the second is better by `gain`."""
    rng = np.random.default_rng(11)
    found = []
    for trial in range(n_trials):
        n_ref = rng.integers(5, 60, n_sentences)
        a, b = (
            {**f_scores(x := n_ref * y, n_ref, n_ref), "count": y * 0 + 1, "score": x / n_ref}
            for y in (rng.beta(8, 2, n_sentences), np.minimum(1, rng.beta(8, 2, n_sentences) + gain))
        )
        found.append(paired_test(a, b, statistic, method=method, n_resamples=n_resamples, seed=trial).p_value)
    return np.array(found)


@pytest.mark.parametrize("statistic", [MEAN, CORPUS], ids=["sentence", "corpus"])
@pytest.mark.parametrize(
    "method, n_sentences, bias",
    [
        pytest.param("randomization", 30, 0.0, id="randomization"),
        pytest.param("bootstrap", 200, 0.02, id="bootstrap, which is only nearly so"),
    ],
)
def test_p_is_uniform_for_equal_systems(method, n_sentences, bias, statistic):
    n_trials, n_resamples = 800, 199
    p_values = simulate(method, statistic, n_sentences, n_resamples, n_trials)
    # Dvoretzky, Kiefer, Wolfowitz and Massart: further away with a chance of at most 2 exp(-2 n d²).
    tolerance = math.sqrt(math.log(2 / ALARM) / (2 * n_trials))
    assert uniform_distance(p_values, n_resamples) <= tolerance + bias


@pytest.mark.parametrize("method", METHODS)
def test_p_is_small_for_different_systems(method):
    p_values = simulate(method, CORPUS, 200, 199, 20, gain=0.1)
    assert p_values.tolist() == [1 / 200] * 20


@pytest.mark.parametrize("method", METHODS)
def test_p_is_one_for_the_same_system(method):
    columns = means([0.1, 0.7, 0.3])
    assert paired_test(columns, columns, MEAN, method=method).p_value == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_p_does_not_depend_on_the_order_of_systems(method):
    rng = np.random.default_rng(1)
    a, b = means(rng.random(40).tolist()), means(rng.random(40).tolist())
    one, other = (paired_test(*pair, MEAN, method=method, n_resamples=500) for pair in ((a, b), (b, a)))
    assert one.difference == -other.difference
    assert one.p_value == other.p_value


def test_intervals_cover_at_their_level():
    rng = np.random.default_rng(3)
    n_trials, n_sentences, level = 800, 150, 0.9
    covered = 0
    for trial in range(n_trials):
        n_ref = rng.integers(5, 60, n_sentences)
        matched = n_ref * rng.beta(8, 2, n_sentences)  # 0.8 on average, whatever the length
        columns = f_scores(matched, n_ref, n_ref)
        interval = confidence_interval(
            columns, STATISTICS["recall"], level=level, n_resamples=300, seed=trial
        )
        covered += interval.low <= 0.8 <= interval.high
    tolerance = SIGMAS * math.sqrt(level * (1 - level) / n_trials)
    assert covered / n_trials == pytest.approx(level, abs=tolerance + 0.01)


# ---- seeds and blocks ------------------------------------------------------------------------------


@pytest.fixture
def noise():
    rng = np.random.default_rng(0)
    return [means(rng.random(333).tolist()) for _ in range(3)]


@pytest.mark.parametrize("method", METHODS)
def test_paired_test_repeats_with_its_seed(noise, method):
    p_values = [
        paired_test(*noise[:2], MEAN, method=method, n_resamples=999, seed=seed).p_value for seed in (1, 1, 2)
    ]
    assert p_values[0] == p_values[1] != p_values[2]


def test_interval_repeats_with_its_seed(noise):
    found = [confidence_interval(noise[0], MEAN, n_resamples=999, seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_samples_do_not_depend_on_the_other_systems(noise):
    bootstrap = Bootstrap(noise, n_resamples=500, seed=4)
    alone = confidence_interval(noise[2], MEAN, n_resamples=500, seed=4)
    assert bootstrap.interval(2, MEAN).low == pytest.approx(alone.low, abs=1e-12)
    pair = paired_test(noise[2], noise[0], MEAN, n_resamples=500, seed=4)
    assert bootstrap.test(2, 0, MEAN).p_value == pair.p_value


def test_samples_do_not_depend_on_the_blocks(noise, monkeypatch):
    def run():
        bootstrap = Bootstrap(noise, n_resamples=100).interval(0, MEAN)
        return bootstrap.low, Randomization(*noise[:2], n_resamples=100).test(MEAN).p_value

    want = run()
    for cells in (1, 1000, 5000):
        monkeypatch.setattr(draws, "_CELLS", cells)
        assert run() == pytest.approx(want, abs=1e-12)


# ---- sample by sample ------------------------------------------------------------------------------


def slow_samples(n_rows, n_resamples, seed):
    """The rows of each sample of few sentences."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, n_rows, size=n_rows).tolist() for _ in range(n_resamples)]


def slow_samples_by_chunks(n_rows, n_resamples, seed):
    """The rows of each sample of many sentences: for 256 samples at a time, how many of each 256 rows,
    then which; one random byte for each, or an integer from the last rows if these are fewer."""
    rng = np.random.default_rng(seed)
    sizes = [min(256, n_rows - first) for first in range(0, n_rows, 256)]
    samples = []
    for lo in range(0, n_resamples, 256):
        numbers = rng.multinomial(n_rows, np.array(sizes) / n_rows, size=min(256, n_resamples - lo))
        group = [[] for _ in numbers]
        for chunk, size in enumerate(sizes):
            n_draws = int(numbers[:, chunk].sum())
            if size == 256:
                words = rng.integers(2**64, size=-(-n_draws // 8), dtype=np.uint64).tolist()
                drawn = iter(b"".join(word.to_bytes(8, "little") for word in words))
            else:
                drawn = iter(rng.integers(size, size=n_draws, dtype=np.uint8).tolist())
            for rows, number in zip(group, numbers[:, chunk].tolist(), strict=True):
                rows += [256 * chunk + row for row in islice(drawn, number)]
        samples += group
    return samples


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
    "n_rows, n_resamples, limit, slow",
    [
        pytest.param(1, 5, 8192, slow_samples, id="one sentence"),
        pytest.param(333, 500, 8192, slow_samples, id="few"),
        pytest.param(8192, 20, 8192, slow_samples, id="the limit"),
        pytest.param(8193, 20, 8192, slow_samples_by_chunks, id="above"),
        pytest.param(7, 300, 0, slow_samples_by_chunks, id="less than a chunk"),
        pytest.param(512, 256, 0, slow_samples_by_chunks, id="two chunks"),
        pytest.param(700, 520, 0, slow_samples_by_chunks, id="two chunks and a rest"),
    ],
)
def test_samples_are_those_drawn_one_by_one(rough, n_rows, n_resamples, limit, slow, monkeypatch):
    assert draws._LIMIT == 8192
    monkeypatch.setattr(draws, "_LIMIT", limit)
    columns = rough(n_rows)
    bootstrap = Bootstrap([columns], n_resamples=n_resamples, seed=9)
    found = {name: sums_of(lambda see: bootstrap.interval(0, see), name) for name in columns}
    samples = slow(n_rows, n_resamples, 9)
    assert {len(rows) for rows in samples} == {n_rows}
    assert found["n"].tolist() == [columns["n"][rows].sum() for rows in samples]
    assert found["count"].tolist() == [n_rows] * n_resamples
    want = [math.fsum(columns["x"][rows]) for rows in samples]
    assert found["x"] == pytest.approx(want, abs=1e-12 * n_rows)


@pytest.mark.parametrize(
    "n_rows, limit, tile",
    [(333, 8192, 2048), (333, 0, 2048), (333, 0, 64), (320, 100, 64), (8200, 8192, 2048)],
)
def test_swaps_are_those_of_single_coins(rough, n_rows, limit, tile, monkeypatch):
    monkeypatch.setattr(draws, "_LIMIT", limit)
    monkeypatch.setattr(draws, "_TILE", tile)
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


def test_chunks_are_drawn_as_likely_as_all_rows(monkeypatch):
    monkeypatch.setattr(draws, "_LIMIT", 0)
    n_rows, n_resamples = 600, 5000
    one_hot = {str(row): np.arange(n_rows) == row for row in range(n_rows)}
    bootstrap = Bootstrap([one_hot], n_resamples=n_resamples)
    counts = []
    bootstrap.interval(0, lambda sums: counts.append(list(sums.values())) or sums["0"])
    counts = np.array(counts[-1]).T
    assert counts.shape == (n_resamples, n_rows)
    assert np.unique(counts % 1) == 0
    assert (counts.sum(axis=1) == n_rows).all()
    away = SIGMAS + 1.2  # SIGMAS for one number; this for the worst of 600
    assert np.abs(counts.mean(axis=0) - 1).max() <= away / math.sqrt(n_resamples)
    # Rows of a multinomial distribution: variance 1 - 1/n, covariance -1/n, in a chunk and between chunks.
    centred = counts - 1
    covariance = centred.T @ centred / n_resamples
    n_cells = n_rows * n_resamples
    assert np.trace(covariance) / n_rows == pytest.approx(1 - 1 / n_rows, abs=SIGMAS * math.sqrt(3 / n_cells))
    beside = np.diagonal(covariance, 1)
    assert beside.mean() == pytest.approx(-1 / n_rows, abs=SIGMAS * math.sqrt(2 / n_cells))
    chunks = np.add.reduceat(centred, [0, 256, 512], axis=1)
    shares = np.array([256, 256, 88]) / n_rows
    want = n_rows * (np.diag(shares) - np.outer(shares, shares))
    spread = np.sqrt((np.outer(np.diag(want), np.diag(want)) + want**2) / n_resamples)
    assert (np.abs(chunks.T @ chunks / n_resamples - want) <= SIGMAS * spread).all()
    # How often a row comes not at all, once, twice.
    for times in range(3):
        share = math.comb(n_rows, times) * (n_rows - 1) ** (n_rows - times) / n_rows**n_rows
        assert np.mean(counts == times) == pytest.approx(share, abs=SIGMAS * math.sqrt(share / n_cells))
    # One sample tells nothing about the next, nor a row about that row in the next chunk.
    assert np.mean(centred[1:] * centred[:-1]) == pytest.approx(0, abs=SIGMAS / math.sqrt(n_cells))
    assert np.mean(centred[:, 256:512] * centred[:, :256]) == pytest.approx(
        -1 / n_rows, abs=SIGMAS / math.sqrt(256 * n_resamples)
    )


@any_limit
def test_metrics_with_other_columns_share_the_samples(rough, limit, monkeypatch):
    monkeypatch.setattr(draws, "_LIMIT", limit)
    one = [rough(300), rough(300, seed=1)]
    other = [f_scores(*(columns["n"] + k for k in (1, 2, 5))) for columns in one]
    both = Bootstrap([*one, *other], n_resamples=300, seed=2)
    first, second = (Bootstrap(systems, n_resamples=300, seed=2) for systems in (one, other))

    def mean(sums):
        return sums["x"] / sums["count"]

    assert both.interval(1, mean).low == pytest.approx(first.interval(1, mean).low, abs=1e-12)
    assert both.test(0, 1, mean) == first.test(0, 1, mean)
    assert both.interval(2, CORPUS) == second.interval(0, CORPUS)
    assert both.difference(2, 3, CORPUS) == second.difference(0, 1, CORPUS)
    assert both.test(2, 3, CORPUS) == second.test(0, 1, CORPUS)
    with pytest.raises(ValueError, match=r"same columns, not \['count', 'n', 'x'\] and \['matched', "):
        both.test(1, 2, lambda sums: 1.0)


@any_limit
def test_columns_that_never_change(limit, monkeypatch):
    monkeypatch.setattr(draws, "_LIMIT", limit)
    columns = {"count": [1] * 30, "score": [0.1] * 30, "none": [0] * 30}
    bootstrap = Bootstrap([columns], n_resamples=10)
    assert bootstrap.interval(0, MEAN).high == pytest.approx(0.1, abs=1e-12)
    nothing = bootstrap.interval(0, lambda sums: sums["none"] / sums["count"])
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 0.0)
    same = Bootstrap([{"count": [1] * 30}], n_resamples=10).interval(0, lambda sums: sums["count"])
    assert (same.low, same.high) == (30.0, 30.0)


# ---- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, message",
    [
        pytest.param(
            {"method": "t"}, "unknown method 't'; choose from bootstrap, randomization", id="method"
        ),
        pytest.param({"b": means([1])}, r"as many sentences as one another, not \[1, 2\]", id="lengths"),
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
    found = paired_test(means([1, 2]), means([2, 1]), MEAN, method="randomization", n_resamples=np.int64(9))
    assert found.exact


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_interval_refuses_levels_that_are_no_shares(level):
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        confidence_interval(means([1, 2]), MEAN, level=level)


def test_numpy_is_asked_for_by_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ImportError, match=r"needs numpy: pip install 'structiou-metric\[compare\]'"):
        confidence_interval(means([1, 2]), MEAN)


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
