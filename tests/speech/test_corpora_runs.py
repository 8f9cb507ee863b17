"""Runs over many recordings that are killed, taken up again, interrupted, or lose a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path

import pytest

from structiou_metric import read_trees
from support import espeak
from support.call_corpus import BAD, GOOD, N, name, timed, write_trees, write_words
from support.cli import failed, succeeded
from support.process import PATIENCE, environment

# ---- taken up again -----------------------------------------------------------------------------


def test_what_failed_is_done_again_when_it_was_mended(corpus, tmp_path):
    assert corpus("-o", "timed")[0] == 1
    assert (tmp_path / "timed.journal").exists()
    for number in BAD:
        write_words(tmp_path / "words", number, ["we", "counted", f"item{number}"])
    out = succeeded(corpus("-o", "timed"))
    assert out.startswith(f"{N} recordings, 0 failed; {len(GOOD)} done by an earlier run\n{N} trees\n")
    assert (tmp_path / "timed").read_text("utf-8").splitlines() == [timed(n) for n in range(N)]
    assert not (tmp_path / "timed.journal").exists()


def test_what_has_changed_is_done_again(corpus, tmp_path):
    corpus("-o", "timed")
    (tmp_path / "trees" / f"{name(0)}.mrg").write_text("(X (Y we counted item0))\n", "utf-8")
    assert f"{len(GOOD) - 1} done by an earlier run" in corpus("-o", "timed")[1]
    assert (
        (tmp_path / "timed")
        .read_text("utf-8")
        .startswith("(X (Y we<0.0,0.5> counted<0.5,1.0> item0<1.0,1.5>))\n")
    )


def test_other_options_are_refused(corpus, tmp_path):
    corpus("-o", "timed")
    before = (tmp_path / "timed").read_bytes()
    message = failed(corpus("-o", "timed", "--gaps", "close"))
    told = 'this output was begun with other options: projection.gaps was "keep", now "close". Give'
    assert message.startswith(f"structiou: timed.journal: {told}")
    assert "remove that file to begin anew" in message
    assert (tmp_path / "timed").read_bytes() == before
    (tmp_path / "timed.journal").write_text("{}\n", "utf-8")
    assert "timed.journal is no journal of structiou project" in failed(corpus("-o", "timed"))


def test_wherever_a_run_was_cut_off_the_output_is_the_same(corpus, tmp_path):
    corpus("-o", "timed", "--report-to", "report.tsv")
    whole, report = (tmp_path / "timed").read_bytes(), (tmp_path / "report.tsv").read_bytes()
    journal = (tmp_path / "timed.journal").read_bytes()
    first = journal.index(b"\n") + 1
    kept = set()
    for cut in [0, 1, first - 1, first, first + 1, *range(first + 400, len(journal), 777), len(journal) - 1]:
        (tmp_path / "timed.journal").write_bytes(journal[:cut])
        (tmp_path / "timed").write_bytes(whole[: cut // 3])
        code, out, _ = corpus("-o", "timed", "--report-to", "report.tsv", "--workers", 1, "--report", "json")
        assert code == 1
        assert (tmp_path / "timed").read_bytes() == whole
        assert (tmp_path / "report.tsv").read_bytes() == report
        n_lines = journal[:cut].count(b"\n")
        jobs = map(json.loads, journal[:cut].splitlines()[1:n_lines])
        n_failed = sum(any(reason for _, _, reason, *_ in job["rows"]) for job in jobs)
        assert json.loads(out)["n_kept"] == max(0, n_lines - 1 - n_failed)
        kept.add(json.loads(out)["n_kept"])
    assert len(kept) > 4


# ---- recordings and processes -------------------------------------------------------------------

ALIGNER = """
import os, signal, time

class Aligner:
    def align(self, samples, rate, words):
        with open("asked", "a") as file:
            file.write(f"{os.getpid()} {words[-1]}\\n")
        if words[-1] in ("item5", "item6") and os.path.exists("die"):
            os.kill(os.getpid(), signal.SIGKILL)
        while "item7" in words and os.path.exists("wait"):
            time.sleep(0.01)
        if "item3" in words:
            raise RuntimeError("of its own")
        return [(word, n / 2, n / 2 + 0.5) for n, word in enumerate(words)]

class Missing:
    def __init__(self):
        raise ValueError("there is no model")
"""


@pytest.fixture
def calls(project, tmp_path):
    """Folders of trees and of recordings, with an aligner of our own."""
    pytest.importorskip("numpy")
    (tmp_path / "mine.py").write_text(ALIGNER, "utf-8")
    write_trees(tmp_path)
    (tmp_path / "calls").mkdir()
    for number in range(N):
        with wave.open(str(tmp_path / "calls" / f"{name(number)}.wav"), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(bytes(2 * 16000 * 2))
    return ["trees", "--audio", "calls", "--aligner", "mine:Aligner", "-o", "timed", "--workers", "2"]


def asked(tmp_path):
    """Processes and last words of what the aligner was asked."""
    return [line.split() for line in (tmp_path / "asked").read_text("utf-8").splitlines()]


def test_two_processes_share_recordings_and_processes_may_die(project, calls, tmp_path):
    (tmp_path / "die").touch()
    code, _, err = project(*calls)
    assert code == 1
    assert err.startswith(
        f"structiou: 3 of {N} trees failed:\n  trees/{name(3)}.mrg: RuntimeError: of its own\n"
    )
    for number in (5, 6):
        assert f"  trees/{name(number)}.mrg: its process died; was there too little memory" in err
    lines = (tmp_path / "timed").read_text("utf-8").splitlines()
    assert lines == [timed(n) for n in range(N) if n not in (3, 5, 6)]
    assert str(os.getpid()) not in {process for process, _ in asked(tmp_path)}


def test_an_aligner_that_cannot_be_made_ends_the_run(project, calls):
    for workers in ("1", "2"):
        options = ["--aligner", "mine:Missing", "--workers", workers]
        assert failed(project(*calls, *options)) == "structiou: there is no model\n"


def test_a_run_that_was_killed_is_finished_without_doing_anything_twice(project, calls, tmp_path):
    (tmp_path / "wait").touch()
    command = [sys.executable, "-m", "structiou_metric", "project", *calls, "--report-to", "report.tsv"]
    with subprocess.Popen(command, env=environment(*sys.path), stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + PATIENCE
        journal = tmp_path / "timed.journal"
        # All but the one that waits, and itself.
        while not journal.exists() or journal.read_bytes().count(b"\n") < N:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    (waiting,) = {pid for pid, word in asked(tmp_path) if word == "item7"}
    assert (tmp_path / "timed").read_text("utf-8").splitlines() == [timed(n) for n in range(7) if n != 3]
    assert (tmp_path / "report.tsv").read_text("utf-8").count("\n") == 1 + 7
    (tmp_path / "wait").unlink()
    while Path(f"/proc/{waiting}").exists():  # nobody is at the other end of its pipe
        assert time.monotonic() < end
        time.sleep(0.02)
    (tmp_path / "asked").unlink()
    code, out, err = project(*calls, "--report-to", "report.tsv")
    assert (code, err) == (
        1,
        f"structiou: 1 of {N} trees failed:\n  trees/{name(3)}.mrg: RuntimeError: of its own\n",
    )
    assert out.startswith(f"{N} recordings, 1 failed; {N - 2} done by an earlier run\n")
    assert sorted(word for _, word in asked(tmp_path)) == ["item3", "item7"]  # what failed, and what was left
    assert (tmp_path / "timed").read_text("utf-8").splitlines() == [timed(n) for n in range(N) if n != 3]
    assert (tmp_path / "report.tsv").read_text("utf-8").count("\n") == 1 + N


def wait_for(path, process):
    """Waits until a process has made a file."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)


def heed_interrupts():
    """Undoes what whoever runs the tests in the background may have asked for: to ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def waiting(project, calls, tmp_path):
    """A run of the command, in a session of its own, that waits in the midst of its work."""
    (tmp_path / "wait").touch()
    command = [sys.executable, "-m", "structiou_metric", "project", *calls]
    with subprocess.Popen(
        command,
        env=environment(*sys.path),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    ) as process:
        wait_for(tmp_path / "asked", process)
        yield process
        process.kill()
    (tmp_path / "wait").unlink()


def test_two_runs_do_not_write_to_one_output(project, calls, waiting):
    pytest.importorskip("fcntl")
    assert "another run is writing to this output" in failed(project(*calls))


def test_an_interrupt_ends_it_without_a_word(project, calls, waiting, tmp_path):
    os.killpg(waiting.pid, signal.SIGINT)
    assert waiting.wait(PATIENCE) == 130
    assert waiting.stderr.read() == ""
    assert (tmp_path / "timed.journal").exists()
    (tmp_path / "wait").rename(tmp_path / "go")
    try:
        assert project(*calls)[0] == 1
    finally:
        (tmp_path / "go").rename(tmp_path / "wait")
    assert len((tmp_path / "timed").read_text("utf-8").splitlines()) == N - 1


# ---- the real aligner ---------------------------------------------------------------------------


@pytest.mark.slow
def test_recordings_of_a_synthesiser_with_the_real_aligner(project, tmp_path):
    pytest.importorskip("pocketsphinx")
    espeak.need()
    for folder in ("trees", "calls"):
        (tmp_path / folder).mkdir()
    sentences = ["the old dog followed a letter", "we painted the kitchen", "nobody remembered the teacher"]
    for number, words in enumerate([*sentences, "this one is cut off too early"]):
        leaves = " ".join(f"(X {word})" for word in words.split())
        (tmp_path / "trees" / f"{name(number)}.mrg").write_text(f"(S {leaves})\n", "utf-8")
        said = espeak.speak(words)
        samples = said.samples if number < len(sentences) else said.samples[: said.rate // 5]
        espeak.write_wav(tmp_path / "calls" / f"{name(number)}.wav", samples, said.rate)
    options = ["-o", "timed/", "--workers", "2", "--report-to", "report.tsv"]
    code, out, err = project("trees", "--audio", "calls", *options)
    assert (code, len(list((tmp_path / "timed").iterdir()))) == (1, len(sentences))
    assert err.startswith(
        f"structiou: 1 of 4 trees failed:\n  trees/{name(3)}.mrg: calls/{name(3)}.wav, 0.00 to "
    )
    assert out.startswith("4 recordings, 1 failed\n3 trees\n14 leaves\n      14  as in the transcript\n")
    [first] = read_trees(tmp_path / "timed" / f"{name(0)}.mrg", "time")
    assert first.words == tuple(sentences[0].split())
    assert 0 <= first.times[0][0] < first.times[-1][1] < espeak.speak(sentences[0]).seconds + 0.03
