"""The Space under attack: `python tests/bench/bench_load.py [--quick] [--seconds N] [--json FILE]`.

200 hostile clients, each with an address of its own on loopback, send heavy pairs, slow bodies, uploads
that they break off, and large JSON, beside 10 ordinary ones. These must be answered within 3 seconds at the
95th percentile, the server with its processes must stay under 1 GiB, nothing that it accepted may be lost,
and 10 seconds after the attack it must answer as before. Exit code 1 if not so. It needs Linux, where any
127.x.y.z can be called from.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib import metadata
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import machine
from bench.bench_space import make_benchmark, text_of
from bench.corpus import Corpus, make_corpus
from bench.report import Report
from structiou_metric import COMPILED
from support.space_client import PREFIX, RawClient
from support.space_server import SpaceServer

_PAUSE = 0.5  # seconds between two attacks of a client
_TREE = "(S (NP (DT the) (NN dog)) (VP (VBD barked)))"
_PLAIN = ["word", "same", "exact", "strict", 0, ""]


# ---- the attack, in a process of its own -------------------------------------------------------


def comb(n: int, right: bool) -> str:
    tree = "(A w)"
    for _ in range(n - 1):
        tree = f"(X (A w) {tree})" if right else f"(X {tree} (A w))"
    return tree


def head(path: str, kind: str, length: int) -> bytes:
    return (
        f"POST {PREFIX}{path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def event_body(number: int, data: Any) -> bytes:
    return json.dumps({"fn_index": number, "data": data, "session_hash": secrets.token_hex(8)}).encode()


async def attack(kind: int, port: int, address: str, number: int, end: float) -> int:
    """One client, until the end; returns how often it attacked."""
    heavy = [
        event_body(number, [comb(990, True), comb(990, False), *_PLAIN]),
        event_body(number, [comb(480, True), comb(480, False), *_PLAIN]),
    ]
    lists = b'{"data": [' + b"[]," * 1_500_000 + b"[]]}"
    form = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
    for times in count():
        if time.monotonic() > end:
            return times
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        except OSError:
            await asyncio.sleep(_PAUSE)
            continue
        try:
            if kind == 0:
                body = heavy[times % 2]
                writer.write(head("/queue/join", "application/json", len(body)) + body)
                await asyncio.wait_for(reader.read(100), 30)
            elif kind == 1:
                writer.write(head("/queue/join", "application/json", 60_000))
                for _ in range(30):
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(1)
                    if time.monotonic() > end:
                        break
            elif kind == 2:
                writer.write(head("/upload", "multipart/form-data; boundary=b", 19_000_000) + form)
                writer.write(b"x" * 1_000_000)
                await writer.drain()
            else:
                writer.write(head("/queue/join", "application/json", len(lists)) + lists)
                await asyncio.wait_for(reader.read(100), 30)
        except OSError:
            pass
        finally:
            writer.close()
        await asyncio.sleep(_PAUSE)
    return 0


async def attack_all(port: int, number: int, clients: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    jobs = [attack(k % 4, port, f"127.0.{4 + k // 200}.{1 + k % 200}", number, end) for k in range(clients)]
    print(json.dumps(await asyncio.gather(*jobs)))


# ---- ordinary clients --------------------------------------------------------------------------


class Ordinary(threading.Thread):
    """Somebody who looks at pages, compares trees and submits now and then."""

    def __init__(self, url: str, number: int, config: Any, corpus: Corpus, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._client = RawClient(url, address=f"127.0.3.{number + 1}", config=config)
        self._number = number
        self._corpus = corpus
        self._stop_event = stop
        self.seconds: list[tuple[str, float]] = []
        self.accepted: list[str] = []
        self.failed: list[str] = []

    def run(self) -> None:
        client = self._client
        pair, board = client.event("score_pair"), client.event("leaderboard")
        for turn in count():
            for name in ("page", "pair", "board", *(["submission"] if turn % 5 == self._number % 5 else [])):
                if self._stop_event.is_set():
                    client.close()
                    return
                begin = time.monotonic()
                if name == "page":
                    right = client.get("/").status_code == 200
                elif name == "pair":
                    right = client.call(pair, [_TREE, _TREE, *_PLAIN])[0]["struct_iou"] == 1.0
                elif name == "board":
                    right = isinstance(client.call(board, ["bench"]), list)
                else:
                    right = self._submit(turn)
                self.seconds.append((name, time.monotonic() - begin))
                if not right:
                    self.failed.append(name)
                self._stop_event.wait(0.3)

    def _submit(self, turn: int) -> bool:
        name = f"system {self._number} {turn} {secrets.token_hex(2)}"
        values = ["bench", name, text_of(self._corpus.predictions), "", "", ""]
        answer = self._client.call(self._client.event("submit"), values)
        if isinstance(answer, list) and answer[0].get("accepted"):
            self.accepted.append(answer[0]["id"])
            return True
        return False


def run_ordinary(
    server: SpaceServer, config: Any, corpus: Corpus, seconds: float, people: int
) -> list[Ordinary]:
    stop = threading.Event()
    threads = [Ordinary(server.url, k, config, corpus, stop) for k in range(people)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return threads


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def waits(threads: Sequence[Ordinary], *names: str) -> list[float]:
    return [took for thread in threads for name, took in thread.seconds if not names or name in names]


# ---- memory ------------------------------------------------------------------------------------


def family_bytes(pid: int) -> int:
    """Memory of a process and its children, counted once where they share it."""
    total = 0
    children = [pid]
    while children:
        one = children.pop()
        try:
            text = Path(f"/proc/{one}/smaps_rollup").read_text("ascii")
            total += next(
                int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")
            )
            for task in Path(f"/proc/{one}/task").iterdir():
                children += map(int, (task / "children").read_text("ascii").split())
        except OSError:  # it has ended
            continue
    return total


def cpu_seconds(pid: int) -> float:
    """Processor time that a process itself has used."""
    parts = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


class Watch(threading.Thread):
    """Looks at the memory of a server twice a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.most = 0
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.5):
            self.most = max(self.most, family_bytes(self._pid))


def measure(
    report: Report, server: SpaceServer, corpus: Corpus, *, clients: int, people: int, seconds: float
) -> None:
    """Before, during and after the attack."""
    first = RawClient(server.url)
    config, number = first.config, first.event("score_pair")
    before = run_ordinary(server, config, corpus, seconds / 3, people)
    report.section(f"{people} ordinary clients alone")
    report.times("answers", waits(before))
    watch = Watch(server.pid)
    watch.start()
    command = [
        sys.executable,
        __file__,
        "--attack",
        str(server.port),
        str(number),
        str(clients),
        str(seconds),
    ]
    used = cpu_seconds(server.pid)
    hostile = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    during = run_ordinary(server, config, corpus, seconds, people)
    attacks = json.loads(hostile.communicate(timeout=120)[0])
    used = cpu_seconds(server.pid) - used
    time.sleep(10)
    after = run_ordinary(server, config, corpus, seconds / 3, people)
    watch.over.set()
    load = os.getloadavg()[0]
    report.section(f"beside {clients} hostile ones, {sum(attacks)} attacks in {seconds:g} s; load {load:.1f}")
    report.fact("processor time of the server meanwhile", f"{used:.1f} s", seconds=used)
    for name in ("page", "pair", "board", "submission"):
        for when, threads in (("before", before), ("during", during), ("after", after)):
            if found := waits(threads, name):
                report.times(f"{name}, {when}", found, f"95th percentile {percentile(found, 0.95):.2f} s")
    report.limit("95th percentile of all answers", percentile(waits(during), 0.95), at_most=3.0, unit=" s")
    report.limit("memory of the server and its processes", watch.most / 2**20, at_most=1024, unit=" MiB")
    failed = [name for threads in (before, during, after) for thread in threads for name in thread.failed]
    report.agree("ordinary requests that were refused", [len(failed)], [0])
    usual = percentile(waits(before), 0.95)
    report.limit(
        "95th percentile 10 s after, to that before", percentile(waits(after), 0.95) / usual, at_most=2.0
    )
    accepted = {id_ for threads in (before, during, after) for thread in threads for id_ in thread.accepted}
    states = [first.call(first.event("submission"), [id_]) for id_ in sorted(accepted)]
    kept = [state[0]["id"] for state in states if isinstance(state, list) and state[0]["state"] != "failed"]
    report.agree(f"accepted submissions that are lost, of {len(accepted)}", [len(accepted - set(kept))], [0])
    first.close()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all against a server of its own."""
    parser = argparse.ArgumentParser(description="Attacks a Space on loopback and times ordinary clients.")
    parser.add_argument("--quick", action="store_true", help="few clients; limits are not judged")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the attack")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")
    parser.add_argument("--attack", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.attack:
        port, number, clients, seconds = args.attack
        asyncio.run(attack_all(int(port), int(number), int(clients), float(seconds)))
        return 0
    why_not = "a quick run" if args.quick else "not compiled"
    report = Report(judged=COMPILED and not args.quick, why_not=why_not)
    corpus = make_corpus(80)
    about = {**machine.describe(None), "gradio": metadata.version("gradio")}
    del about["prototype"]  # has no part in this
    for name, value in about.items():
        print(f"{name:<12} {value}")
    with tempfile.TemporaryDirectory(prefix="structiou-load-") as name:
        folder = Path(name)
        server = SpaceServer(
            folder / "data", make_benchmark(folder, corpus), DAILY_PER_USER=10_000, DAILY_PER_ADDRESS=10_000
        )
        try:
            server.start()
            clients, people, seconds = (8, 2, 6.0) if args.quick else (200, 10, args.seconds)
            measure(report, server, corpus, clients=clients, people=people, seconds=seconds)
        finally:
            server.kill()
    return report.finish(args.json, about)


if __name__ == "__main__":
    sys.exit(main())
