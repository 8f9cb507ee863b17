"""Perturbed word boundaries: definitions by hand and by slow oracles, statistics, the command."""

from __future__ import annotations

import math
from hashlib import sha512
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structiou_metric import SegmentTree, TreeFormatError
from structiou_metric.analysis.perturbation import KINDS, generator_for, perturb, with_seconds
from structiou_metric.commands.main import main
from structiou_metric.speech.silence import close_gaps, count_gaps, without_gaps
from structiou_metric.trees.surgery import merge_words, split_words
from support.examples import examples
from support.strategies import tree_cases

DOG = "(S (NP (DT the<0,1>) (NN dog<1,3>)) (VP (VB runs<3,4>) (RB off<4,5>)))"


class Replay:
    """A generator that gives the numbers it was told to."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


class Recorder(Random):
    """A generator that notes what it gives."""

    def __init__(self, seed):
        super().__init__(seed)
        self.given = []

    def random(self):
        self.given.append(super().random())
        return self.given[-1]


def tree_of(text):
    return SegmentTree.from_brackets(text)


def timed(case):
    return tree_of(case.brackets).with_times(case.times)


def flat(n_words):
    """A tree over words of one second each."""
    words = " ".join(f"(W w{k}<{k},{k + 1}>)" for k in range(n_words))
    return tree_of(f"(S {words})")


def timed_trees(max_words=7):
    return tree_cases(max_words, timed=True).map(timed)


def greatest_distance(values):
    """Kolmogorov's distance between values and the uniform distribution on 0 … 1."""
    ordered = sorted(values)
    n = len(ordered)
    return max(max((i + 1) / n - x, x - i / n) for i, x in enumerate(ordered))


def far(n):
    """A distance that n uniform draws exceed less than once in a million (Dvoretzky, Kiefer, Wolfowitz)."""
    return math.sqrt(math.log(2e6) / (2 * n))


# ------------------------------------------------------------------------------------------- noise


def noise_as_printed(bounds, delta, draws):
    """The paper's updates, word for word, on b_0 … b_n."""
    rounds = [list(bounds)]
    for i in range(1, len(bounds) - 1):
        r = -delta + 2 * delta * draws[i - 1]
        sgn = 1 if r >= 0 else -1
        now = list(rounds[i - 1])
        now[i] = rounds[i - 1][i] + abs(r) * (rounds[i - 1][i + sgn] - rounds[i - 1][i])
        rounds.append(now)
    return rounds[-1]


@examples(100)
@given(timed_trees(), st.floats(0.001, 1.0), st.integers(0, 2**32))
def test_noise_follows_the_printed_definition(tree, delta, seed):
    tree = without_gaps(tree)
    rng = Recorder(seed)
    found = perturb(tree, "noise", delta, rng)
    bounds = [tree.times[0][0], *(end for _, end in tree.times)]
    want = noise_as_printed(bounds, delta, rng.given)
    assert len(rng.given) == len(tree.words) - 1
    assert [start for start, _ in found.times] == pytest.approx(want[:-1], rel=1e-12)
    assert [end for _, end in found.times] == pytest.approx(want[1:], rel=1e-12)


@examples(100)
@given(timed_trees(), st.floats(0.001, 1.0), st.integers(0, 2**32))
def test_noise_keeps_tree_order_and_outer_bounds(tree, delta, seed):
    found = perturb(tree, "noise", delta, seed)
    assert (found.labels, found.sizes, found.words) == (tree.labels, tree.sizes, tree.words)
    assert found == tree.with_times(found.times)  # in order, without overlaps
    assert (found.times[0][0], found.times[-1][1]) == (tree.times[0][0], tree.times[-1][1])
    assert count_gaps(found.times) == count_gaps(tree.times)


def test_noise_uses_the_left_neighbour_that_has_moved():
    # r = -1: b_1 goes all the way to b_0 = 0; r = -0.5: b_2 goes half of the way to the new b_1.
    found = perturb(flat(3), "noise", 1.0, Replay(0.0, 0.25))
    assert found.times == ((0.0, 0.0), (0.0, 1.0), (1.0, 3.0))


def test_noise_moves_both_ends_of_a_silence():
    # r = 0.5: 1 goes half of the way to 2; r = -0.5: 2 goes half of the way to 1.5.
    found = perturb("(S (A a<0,1>) (B b<2,3>))", "noise", 1.0, Replay(0.75, 0.25))
    assert found.times == ((0.0, 1.5), (1.75, 3.0))


def test_noise_zero_draw_goes_right_and_nowhere():
    assert perturb(flat(2), "noise", 1.0, Replay(0.5)) == flat(2)


@pytest.mark.parametrize("start, bound, end", [(0.1, 0.3, 0.7), (1e-9, 0.1, 1e9), (-0.7, 0.1, 0.3)])
@pytest.mark.parametrize("draw", [0.0, 1.0 - 2**-53], ids=["all left", "all right"])
def test_noise_rounding_never_crosses_a_neighbour(start, bound, end, draw):
    tree = SegmentTree.from_brackets("(S (A a) (B b))").with_times([[start, bound], [bound, end]])
    (_, moved), _ = perturb(tree, "noise", 1.0, Replay(draw)).times
    assert start <= moved <= end
    assert moved == pytest.approx(end if draw else start, rel=1e-9)


def test_noise_positions_are_uniform():
    n, delta = 4000, 0.6
    rng = Random(3)
    found = [perturb(flat(2), "noise", delta, rng).times[0][1] for _ in range(n)]
    assert min(found) >= 1 - delta
    assert max(found) <= 1 + delta
    assert greatest_distance([(x - (1 - delta)) / (2 * delta) for x in found]) < far(n)


# ------------------------------------------------------------------------------------------ insert


@pytest.mark.parametrize(
    "text, cuts, want",
    [
        pytest.param(
            DOG,
            {1: 2.5, 3: 4.5},
            "(S (NP (DT the<0,1>) (NN do<1,2.5>) (NN g<2.5,3>)) "
            "(VP (VB runs<3,4>) (RB of<4,4.5>) (RB f<4.5,5>)))",
            id="preterminals are copied",
        ),
        pytest.param(
            "(INTJ (ADVP (UH yes<0,1>)))",
            {0: 0.5},
            "(INTJ (ADVP (UH ye<0,0.5>) (UH s<0.5,1>)))",
            id="only the lowest of a unary chain is copied",
        ),
        pytest.param(
            "(S (NNP New<0,1> York<1,2>) (VB is<2,3>))",
            {1: 1.5},
            "(S (NNP New<0,1> Yo<1,1.5> rk<1.5,2>) (VB is<2,3>))",
            id="one of several words in a preterminal",
        ),
        pytest.param(
            "(NP the<0,1> (NN dog<1,2>))",
            {0: 0.25, 1: 1.75},
            "(NP t<0,0.25> he<0.25,1> (NN do<1,1.75>) (NN g<1.75,2>))",
            id="a word beside nodes",
        ),
        pytest.param("(UH yes<0,1>)", {0: 0.5}, "(UH ye<0,0.5> s<0.5,1>)", id="the root is never copied"),
        pytest.param("(S (A a<0,1>))", {0: 0.25}, "(S (A <0,0.25>) (A a<0.25,1>))", id="a half without text"),
        pytest.param("(S (A <0,1>))", {0: 0.25}, "(S (A <0,0.25>) (A <0.25,1>))", id="no text at all"),
        pytest.param(
            "(S (A e\u0301e<0,3>))",
            {0: 1.0},
            "(S (A e\u0301<0,1>) (A e<1,3>))",
            id="a letter keeps its marks",
        ),
        pytest.param("(S (A a<1,1>))", {0: 1.0}, "(S (A <1,1>) (A a<1,1>))", id="a word without length"),
    ],
)
def test_split_words_by_hand(text, cuts, want):
    assert split_words(tree_of(text), cuts) == tree_of(want)


@examples(100)
@given(timed_trees(), st.floats(0.001, 1.0), st.integers(0, 2**32))
def test_insert_splits_the_words_that_were_drawn(tree, delta, seed):
    rng = Recorder(seed)
    found = perturb(tree, "insert", delta, rng)
    draws = iter(rng.given)
    want = []
    for text, (start, end) in zip(tree.words, tree.times, strict=True):
        cut = start + next(draws) * (end - start) if next(draws) < delta else None
        want.append([(start, end)] if cut is None else [(start, cut), (cut, end)])
        assert text  # so that joined texts tell something
    assert not list(draws)
    assert found.times == tuple(time for times in want for time in times)
    assert "".join(found.words) == "".join(tree.words)
    assert tree_of(str(found)) == found  # spans and sizes fit together
    inner = [node[1:4] for node in tree.nodes if not node.preterminal]
    assert [node[1:4] for node in found.nodes if not node.preterminal] == inner


def test_insert_counts_and_places_are_as_drawn():
    n, delta = 4000, 0.3
    found = perturb(flat(n), "insert", delta, 5)
    splits = len(found.words) - n
    assert abs(splits - n * delta) < n * far(n)  # Hoeffding's bound is the same as that on distances
    places = [end % 1.0 for _, end in found.times if end % 1.0]
    assert len(places) == splits
    assert greatest_distance(places) < far(splits)


def test_insert_at_one_splits_every_word():
    found = perturb(DOG, "insert", 1.0, 1)
    assert len(found.words) == 8
    assert found.labels == ("DT", "DT", "NN", "NN", "NP", "VB", "VB", "RB", "RB", "VP", "S")


# ------------------------------------------------------------------------------------------ delete


@pytest.mark.parametrize(
    "text, joined, want",
    [
        pytest.param(
            DOG,
            [0, 1, 0],
            "(S (NP (DT the<0,1>)) (NN dog_runs<1,4>) (VP (RB off<4,5>)))",
            id="across two phrases: in the node above both, with the longer word's label",
        ),
        pytest.param(
            DOG, [1, 0, 0], "(S (NP (NN the_dog<0,3>)) (VP (VB runs<3,4>) (RB off<4,5>)))", id="in a phrase"
        ),
        pytest.param(
            DOG, [0, 0, 1], "(S (NP (DT the<0,1>) (NN dog<1,3>)) (VP (VB runs_off<3,5>)))", id="a tie"
        ),
        pytest.param(
            DOG, [1, 1, 0], "(S (NN the_dog_runs<0,4>) (VP (RB off<4,5>)))", id="a phrase is emptied"
        ),
        pytest.param(DOG, [1, 1, 1], "(S (NN the_dog_runs_off<0,5>))", id="everything"),
        pytest.param(
            DOG, [1, 0, 1], "(S (NP (NN the_dog<0,3>)) (VP (VB runs_off<3,5>)))", id="two merged words"
        ),
        pytest.param(
            "(TOP (S (VP (A a<0,1>) (B b<1,2>))))", [1], "(TOP (S (VP (A a_b<0,2>))))", id="unary nodes stay"
        ),
        pytest.param(
            "(S (N New<0,1> York<1,2> City<2,3>) (V is<3,9>))",
            [1, 0, 0],
            "(S (N New_York<0,2> City<2,3>) (V is<3,9>))",
            id="inside of a preterminal",
        ),
        pytest.param(
            "(S (N New<0,1> York<1,2> City<2,3>) (V is<3,9>))",
            [0, 0, 1],
            "(S (N New<0,1> York<1,2>) (V City_is<2,9>))",
            id="a preterminal loses a word",
        ),
        pytest.param(
            "(NP the<0,5> (NN dog<5,6>))",
            [1],
            "(NP (NN the_dog<0,6>))",
            id="a word beside nodes has no label",
        ),
        pytest.param(
            "(NP a<0,1> b<1,2> (NN c<2,3>))", [1, 0], "(NP a_b<0,2> (NN c<2,3>))", id="none has a preterminal"
        ),
        pytest.param("(S (A a<0,1>) (B b<2,3>))", [1], "(S (A a_b<0,3>))", id="over a silence"),
        pytest.param("(S (A <0,1>) (B b<1,2>) (C <2,3>))", [1, 1], "(S (A b<0,3>))", id="empty texts"),
        pytest.param(
            "(S (A a<0,1>) (E ) (B b<1,2>) (C c<2,3>))",
            [0, 1],
            "(S (A a<0,1>) (B b_c<1,3>))",
            id="nodes without words go",
        ),
        pytest.param(
            "(S (X (A a<0,1>) (B b<1,2>)) (Y (C c<2,3>) (Z (D d<3,4>) (E e<4,5>))))",
            [0, 1, 1, 0],
            "(S (X (A a<0,1>)) (B b_c_d<1,4>) (Y (Z (E e<4,5>))))",
            id="cut from nested phrases",
        ),
    ],
)
def test_merge_words_by_hand(text, joined, want):
    assert merge_words(tree_of(text), joined) == tree_of(want)


def merge_slowly(tree, joined):
    """The rule of `merge_words` on nested dicts, looking for each merged word in each node."""
    runs = [[0]]
    for k, same in enumerate(joined, 1):
        if same:
            runs[-1].append(k)
        else:
            runs.append([k])
    owner = {}  # the label of the preterminal of each word
    numbers = iter(range(len(tree.words)))

    def number(node):
        """Replaces words by their numbers."""
        if "children" not in node:
            node["children"] = [{"word": node.pop("word")}]
        children = [number(child) if "label" in child else next(numbers) for child in node["children"]]
        if not any("label" in child for child in node["children"]):
            owner.update(dict.fromkeys(children, node["label"]))
        return {"label": node["label"], "children": children}

    def words_of(item):
        return [item] if isinstance(item, int) else [k for child in item["children"] for k in words_of(child)]

    def word(run, in_preterminal):
        times = [tree.times[k] for k in run]
        leaf = {"word": "_".join(tree.words[k] for k in run), "start": times[0][0], "end": times[-1][1]}
        named = [k for k in run if k in owner]
        if in_preterminal or len(run) == 1 or not named:
            return leaf
        longest = max(named, key=lambda k: (tree.times[k][1] - tree.times[k][0], -k))
        return {"label": owner[longest], "children": [leaf]}

    def rebuild(node):
        own = set(words_of(node))
        nodes = [child for child in node["children"] if not isinstance(child, int)]
        inside = [run for run in runs if own.issuperset(run)]
        items = [
            (run[0], word(run, not nodes))
            for run in inside
            if not any(set(words_of(child)).issuperset(run) for child in nodes)
        ]
        items += [
            (words_of(child)[0], rebuild(child))
            for child in nodes
            if any(set(words_of(child)).issuperset(run) for run in runs)
        ]
        return {
            "label": node["label"],
            "children": [item for _, item in sorted(items, key=lambda pair: pair[0])],
        }

    return SegmentTree.from_dict(rebuild(number(tree.with_unit("word").to_dict())))


@examples(200)
@given(timed_trees(8), st.data())
def test_merge_words_agrees_with_slow_rule(tree, data):
    joined = data.draw(st.lists(st.booleans(), min_size=len(tree.words) - 1, max_size=len(tree.words) - 1))
    found = merge_words(tree, joined)
    assert found == merge_slowly(tree, joined)
    assert tree_of(str(found)) == found


@examples(100)
@given(timed_trees(), st.floats(0.001, 1.0), st.integers(0, 2**32))
def test_delete_merges_the_words_that_were_drawn(tree, delta, seed):
    rng = Recorder(seed)
    found = perturb(tree, "delete", delta, rng)
    assert len(rng.given) == len(tree.words) - 1
    assert found == merge_words(tree, [draw < delta for draw in rng.given])


def test_delete_counts_are_as_drawn():
    n, delta = 4000, 0.7
    found = perturb(flat(n), "delete", delta, 9)
    assert abs((n - len(found.words)) - (n - 1) * delta) < n * far(n)


def test_delete_asks_the_parser():
    asked = []

    def parse(words, times):
        asked.append((words, times))
        return "(X (Y " + " ".join(word.replace(" ", "+") for word in words) + "))"

    found = perturb(DOG, "delete", 0.5, Replay(0.9, 0.1, 0.6), parser=parse)
    assert asked == [(["the", "dog runs", "off"], [(0.0, 1.0), (1.0, 4.0), (4.0, 5.0)])]
    assert found == tree_of("(X (Y the<0,1> dog_runs<1,4> off<4,5>))")


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param("(X (Y a b c))", id="brackets"),
        pytest.param("(X (Y <0,9> <9,10> <10,11>))", id="other times are not looked at"),
        pytest.param({"label": "X", "children": [{"label": "Y", "children": ["a b", "c", "d"]}]}, id="dict"),
        pytest.param([("X", 0, 3), ("Y", 0, 3)], id="spans"),
    ],
)
def test_delete_takes_any_shape_from_the_parser(shape):
    found = perturb(DOG, "delete", 0.5, Replay(0.9, 0.1, 0.6), parser=lambda words, times: shape)
    assert found == tree_of("(X (Y the<0,1> dog_runs<1,4> off<4,5>))")


def test_delete_takes_a_failed_parse():
    assert not perturb(DOG, "delete", 1.0, 1, parser=lambda words, times: "()")


def test_delete_refuses_other_words_of_the_parser():
    with pytest.raises(
        TreeFormatError, match="the parser's tree has 4 words for 3; merged words are one word"
    ):
        perturb(DOG, "delete", 0.5, Replay(0.9, 0.1, 0.6), parser=lambda words, times: "(X the dog runs off)")
    with pytest.raises(TreeFormatError, match="the parser's tree: the tree is None"):
        perturb(DOG, "delete", 1.0, 1, parser=lambda words, times: None)


def test_delete_asks_only_about_changed_sentences():
    def parse(words, times):
        raise AssertionError("called")

    assert perturb(DOG, "delete", 0.5, Replay(0.5, 0.5, 0.9), parser=parse) == tree_of(DOG)
    assert perturb("(INTJ (UH yes<0,1>))", "delete", 1.0, 1, parser=parse).words == ("yes",)
    perturb(DOG, "noise", 1.0, 1, parser=parse)


# ------------------------------------------------------------------------------------- all of them


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [DOG, "(S (A a<0,1>) (B b<2,3>))", "(S (A a) (B b))", "()", "(UH yes<0,1>)"])
def test_perturb_at_zero_is_identity(kind, text):
    assert perturb(text, kind, 0, 1) == tree_of(text)


@pytest.mark.parametrize("kind", KINDS)
def test_perturb_leaves_a_failed_parse(kind):
    assert perturb("()", kind, 1.0, 1) == tree_of("()")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit, ends", [("word", (1.0, 2.0)), ("char", (3.0, 8.0))])
def test_perturb_takes_words_and_characters_for_seconds(kind, unit, ends):
    tree = SegmentTree.from_brackets("(NP (DT the) (NN horse))", unit)
    times = [[0.0, ends[0]], ends]
    assert with_seconds(tree) == tree.with_times(times)
    found = perturb(tree, kind, 0.8, 4)
    assert found == perturb(tree.with_times(times), kind, 0.8, 4)
    assert found.unit == "time"


def test_perturb_goes_by_the_unit_of_a_timed_tree():
    assert with_seconds(tree_of(DOG).with_unit("word")).times[1] == (1.0, 2.0)


@pytest.mark.parametrize("kind", KINDS)
def test_perturb_seeds(kind):
    trees = [perturb(flat(9), kind, 0.5, rng) for rng in (7, Random(7), 8)]
    assert trees[0] == trees[1] != trees[2]


def test_generator_for_is_seeded_as_documented():
    key = b"1/noise/0.3/2/17"
    same = Random(int.from_bytes(key + sha512(key).digest(), "big"))  # how Python makes a number of a text
    rng = generator_for(1, "noise", 0.3, 2, 17)
    assert [rng.random() for _ in range(5)] == [same.random() for _ in range(5)]
    assert generator_for(1, "noise", 1, 0, 0).random() == generator_for(1, "noise", 1.0, 0, 0).random()


@pytest.mark.parametrize("delta", [-0.1, 1.1, math.nan, math.inf, "x", None, 10**400])
def test_perturb_refuses_other_levels(delta):
    with pytest.raises(ValueError, match="delta must be a number from 0 to 1, not "):
        perturb(DOG, "noise", delta, 1)


def test_perturb_refuses_other_kinds():
    with pytest.raises(ValueError, match="unknown kind 'swap'; choose from noise, insert, delete"):
        perturb(DOG, "swap", 0.1, 1)


@pytest.mark.parametrize("rng", [None, "7", 1.5, True])
def test_perturb_refuses_what_is_no_generator(rng):
    with pytest.raises(TypeError, match=r"rng must be a random\.Random or a whole number"):
        perturb(DOG, "noise", 0.1, rng)


@pytest.mark.parametrize("kind", KINDS)
def test_perturb_deep_trees(kind):
    deep = 20_000
    tree = tree_of("(X " * deep + "(A a<0,1>) (B b<1,2>) (C c<2,3>)" + ")" * deep)
    found = perturb(tree, kind, 1.0, 1)
    assert found.depth == deep + 1


# ----------------------------------------------------------------------------------------- silence


@examples(100)
@given(timed_trees())
def test_close_gaps_shares_silences(tree):
    times = close_gaps(tree.times)
    assert not count_gaps(times)
    assert (times[0][0], times[-1][1]) == (tree.times[0][0], tree.times[-1][1])
    for (_, old_end), (old_start, _), (_, end), (start, _) in zip(
        tree.times, tree.times[1:], times, times[1:], strict=False
    ):
        assert end == start == (old_end + old_start) / 2
    assert without_gaps(tree) == tree.with_times(times)


def test_close_gaps_without_any():
    assert close_gaps([]) == []
    tree = tree_of(DOG)
    assert without_gaps(tree) is tree
    assert without_gaps(tree_of("(S (A a))")) == tree_of("(S (A a))")


# ------------------------------------------------------------------------------------- the command


TREES = f"{DOG}\n(INTJ (UH yes<1.5,2>))\n\n(S (A a<0,1>) (B b<2,3>))\n"


@pytest.fixture
def structiou(capsys, tmp_path, monkeypatch):
    """Runs a command in a folder with the trees; returns the exit code and what was printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "trees.txt").write_text(TREES)

    def run(*args):
        try:
            code = main(["perturb", *args])
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize("kind", KINDS)
def test_command_writes_what_perturb_gives(structiou, tmp_path, kind):
    args = ("trees.txt", "--kind", kind, "--delta", "0.6", "--seed", "3", "--repeat", "2")
    code, out, err = structiou(*args)
    assert (code, err) == (0, "")
    want = [
        f"{perturb(line, kind, 0.6, generator_for(3, kind, 0.6, 2, row))}"
        for row, line in enumerate(TREES.splitlines())
    ]
    assert out.splitlines() == want
    assert structiou(*args, "-o", "out.txt") == (0, "", "")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == out


def test_command_at_zero_writes_the_trees(structiou):
    code, out, _ = structiou("trees.txt", "--kind", "noise", "--delta", "0")
    assert code == 0
    assert out.splitlines() == [str(tree_of(line)) for line in TREES.splitlines()]


def test_command_closes_gaps(structiou):
    code, out, _ = structiou("trees.txt", "--kind", "noise", "--delta", "0", "--gaps", "close")
    assert code == 0
    assert out.splitlines()[3] == "(S (A a<0.0,1.5>) (B b<1.5,3.0>))"


def test_command_counts_words_as_seconds(structiou, tmp_path):
    (tmp_path / "text.txt").write_text("(S (A a) (B bb))\n")
    code, out, _ = structiou("text.txt", "--kind", "delete", "--delta", "1", "--unit", "word")
    assert (code, out) == (0, "(S (A a_bb<0.0,2.0>))\n")
    code, out, _ = structiou("text.txt", "--kind", "delete", "--delta", "1", "--unit", "char")
    assert (code, out) == (0, "(S (B a_bb<0.0,3.0>))\n")
    code, _, err = structiou("text.txt", "--kind", "delete", "--delta", "1")
    assert code == 1
    assert "text.txt:1:7: this word has no time" in err


def test_command_calls_a_parser(structiou, tmp_path):
    module = tmp_path / "flat_parser_for_test.py"
    module.write_text(
        "def parse(words, times):\n    return {'label': 'FLAT', 'children': words}\n"
        "def forget(words, times):\n    return '(X (Y'\n"
    )
    args = ("trees.txt", "--kind", "delete", "--delta", "1", "--parser")
    code, out, _ = structiou(*args, "flat_parser_for_test:parse")
    assert code == 0
    assert out.splitlines()[0] == "(FLAT the_dog_runs_off<0.0,5.0>)"
    for name, message in (
        ("flat_parser_for_test", "write it as module:name"),
        ("flat_parser_for_test:forget", "trees.txt:1: the parser's tree:1:"),
        ("flat_parser_for_test:__name__", "this is no function"),
        (".flat_parser_for_test:parse", "write it as module:name"),
        ("flat_parser_for_test:nothing", "there is no 'nothing' in flat_parser_for_test"),
        ("no_module_of_this_name:parse", "there is no module 'no_module_of_this_name'"),
    ):
        code, out, err = structiou(*args, name)
        assert (code, out) == (1, "")
        assert message in err


@pytest.mark.parametrize(
    "args, message",
    [
        (("--kind", "noise", "--delta", "1.5"), "argument --delta: '1.5' is not a number from 0 to 1"),
        (("--kind", "noise", "--delta", "nan"), "argument --delta: 'nan' is not a number from 0 to 1"),
        (("--kind", "swap", "--delta", "0.5"), "argument --kind: 'swap' is none of"),
        (("--delta", "0.5"), "the following arguments are required: --kind"),
        (("--kind", "noise", "--delta", "0", "--seed", "-1"), "'-1' is not a whole number from 0 on"),
    ],
)
def test_command_refuses_bad_usage(structiou, args, message):
    code, out, err = structiou("trees.txt", *args)
    assert (code, out) == (2, "")
    assert message in err
