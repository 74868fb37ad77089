"""Understanding of commands: the first one of a process and later ones, with 10 and 1,000 trees.

Each row is a fresh process; figures are processor times, independent of other load. The large
library has 1,000 trees of 40 verbs and 25 objects, each with two utterances in two languages, and
2,000 values with a name in each. Commands of 25 words are measured against a limit of 30 ms.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

SMALL, LARGE = (10, 100) if "--small" in sys.argv else (10, 1000)
THINGS = 25
LATER = 100
COMMANDS = {"en": "Please {verb} the {thing}.", "ko": "{thing} {verb}해 주세요."}
LONG = {  # 25 words with seven acts
    "en": "Please {verb} the {thing}, then {verb} the {thing} again, {verb} the {thing} with the "
    "{part}, and after that {verb} the {thing} once more, please.",
    "ko": "{thing} {verb}하고 {thing} 좀 {verb}한 다음에 {part}으로 {thing} {verb}하고 " * 2
    + "그다음에 {thing} 한 번 더 {verb}해 주세요.",
}
LIMIT = 0.030  # processor time of a command of 25 words [s]


def name_of(number: int, language: str) -> str:
    """Return a pronounceable unique name: ``bakedo``, 바케도."""
    letters = random.Random(number)
    if language == "ko":
        return (
            "".join(
                letters.choice("가나다라마바사자차카타파하거너더러머버서저처커터퍼허")
                for _ in range(3)
            )
            + "강"
        )
    return "".join(letters.choice("bdfgklmnprstvz") + letters.choice("aeiou") for _ in range(4))


def write(folder: Path, trees: int) -> tuple[Path, Path]:
    """Write the trees and the words of a library; return their folder and their file."""
    verbs = max(1, trees // THINGS)
    words = {
        "verbs": {
            f"verb_{n}": {"en": [name_of(n, "en")], "ko": [f"{name_of(n, 'ko')}하다"]}
            for n in range(verbs)
        },
        "nouns": {
            f"thing_{n}": {"en": [name_of(10_000 + n, "en")], "ko": [name_of(10_000 + n, "ko")]}
            for n in range(THINGS)
        },
        "values": {
            "Part": {
                f"part_{n}": {"en": [name_of(20_000 + n, "en")], "ko": [name_of(20_000 + n, "ko")]}
                for n in range(2 * trees)
            }
        },
    }
    lexicon = folder / "words.yaml"
    lexicon.write_text(yaml.safe_dump(words, allow_unicode=True), encoding="utf-8")
    library = folder / "trees"
    library.mkdir()
    for number in range(trees):
        verb, thing = number // THINGS, 10_000 + number % THINGS
        english = f"{name_of(verb, 'en').capitalize()} the {name_of(thing, 'en')}"
        said = [
            f"{english}.",
            f"{english} with the {name_of(20_000, 'en')}.",
            f"{name_of(thing, 'ko')}을 {name_of(verb, 'ko')}해.",
            f"{name_of(20_000, 'ko')}으로 {name_of(thing, 'ko')}을 {name_of(verb, 'ko')}해.",
        ]
        tree = {
            "tree": f"tree_{number}",
            "utterances": said,
            "params": {"part": {"type": "Part", "default": "part_0"}},
            "root": {"do": "work", "with": {"part": "$part"}},
        }
        text = yaml.safe_dump(tree, allow_unicode=True, sort_keys=False)
        (library / f"tree_{number}.yaml").write_text(text, encoding="utf-8")
    return library, lexicon


def measure(folder: Path, language: str) -> dict[str, float]:
    """Load, compile a first command and later ones; return processor times."""
    from bt_exec.language.messages import language_of
    from bt_exec.pack import Catalogue, Pack
    from bt_exec.planning.compiler import Plan, Request
    from bt_exec.spec.library import Library
    from bt_exec_llm.offline import create

    library = Library.load([folder / "trees"])
    catalogue = Catalogue([Pack("bench", lexicon=folder / "words.yaml")])
    compiler = create({})

    def compiled(verb: int, thing: int, command: str = COMMANDS[language]) -> float:
        said = {"verb": name_of(verb, language), "thing": name_of(10_000 + thing, language)}
        text = command.format(**said, part=name_of(20_000, language))
        began = time.process_time()
        answer = compiler.compile(Request(text, language_of(text), catalogue, library))
        assert isinstance(answer, Plan), (text, answer)
        return time.process_time() - began

    compiled(0, 0)
    first = time.process_time()
    things = [number % min(THINGS, len(library)) for number in range(LATER)]
    later = sum(compiled(0, thing) for thing in things) / LATER
    long = sorted(compiled(0, thing, LONG[language]) for thing in things)
    return {"first": first, "later": later, "long": long[int(0.95 * LATER)]}


def in_process(*arguments: str) -> dict[str, float]:
    """Return the minimum figures of three processes."""
    call = [sys.executable, __file__, *arguments]
    ran = [
        json.loads(subprocess.run(call, check=True, capture_output=True).stdout) for _ in range(3)
    ]
    return {key: min(one[key] for one in ran) for key in ran[0]}


def main() -> None:
    """Print the figures."""
    if sys.argv[1:] not in ([], ["--small"]):
        language, folder = sys.argv[1:]
        print(json.dumps(measure(Path(folder), language)))
        return
    with tempfile.TemporaryDirectory() as place:
        folders = {trees: Path(place, str(trees)) for trees in (SMALL, LARGE)}
        for trees, folder in folders.items():
            folder.mkdir()
            write(folder, trees)
        for language in COMMANDS:
            rows = {}
            for trees, folder in folders.items():
                rows[f"{trees} trees"] = in_process(language, str(folder))
            for name, row in rows.items():
                told = f"first {row['first']:.2f} s, later {row['later'] * 1e3:.1f} ms of CPU"
                told += f", 25 words {row['long'] / LIMIT:.2f} of the limit (p95)"
                print(f"{language}  {name:11} {told}")
            small, large = rows[f"{SMALL} trees"], rows[f"{LARGE} trees"]
            ratios = (large[key] / small[key] for key in ("first", "later"))
            told = "first {:.1f}, later {:.1f} (aim: at most 2)".format(*ratios)
            print(f"{language}  ratio of {LARGE} to {SMALL} trees: {told}")


if __name__ == "__main__":
    main()
