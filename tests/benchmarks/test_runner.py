"""The benchmark runner lists every benchmark."""

from pathlib import Path

from tests.benchmarks.__main__ import SMALL, section, write_results


def test_runner_lists_every_benchmark():
    files = Path(__file__).parent.glob("bench_*.py")
    assert {file.stem.removeprefix("bench_") for file in files} == set(SMALL)


def test_results_keep_sections_of_other_benchmarks(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.benchmarks.__main__.RESULTS", tmp_path / "RESULTS.md")
    write_results({"tick": section("tick", (), "1 µs"), "help": section("help", (), "2 ms")})
    write_results({"tick": section("tick", ("--small",), "3 µs")})
    text = (tmp_path / "RESULTS.md").read_text("utf-8")
    assert text.count("## ") == 2
    assert "2 ms" in text
    assert "3 µs" in text
    assert "1 µs" not in text
    assert "`bench_tick.py --small`, commit " in text
