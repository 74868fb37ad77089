"""Analyses of the texts of the shipped sites, part of the package: ``make analyses``.

A first command then loads no analyser of Korean and no dictionary of English. Run it after a change
of utterances or words, and with a new version of kiwipiepy or simplemma.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bt_exec.site.check_utterances import check_utterances
from bt_exec.site.compile_command import request_of
from bt_exec.site.data import site_names
from bt_exec.site.site import load_site
from bt_exec_llm.offline import kept_texts
from bt_exec_llm.offline.index import cached_index

SHIPPED = kept_texts._SHIPPED


def analyse(folder: Path) -> dict[str, Path]:
    """Analyse all texts in a new process with an empty cache; return its files by language."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    subprocess.run(
        [sys.executable, "-m", "tests.analyses", "--analyse"], env=environment, check=True
    )
    found = {name: [*folder.glob(f"bt-exec/{name}/*.json")] for name in ("english", "korean")}
    return {name: file for name, (file,) in found.items()}


def main() -> None:
    """Write the files of the package."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.rmtree(SHIPPED, ignore_errors=True)
        for language, file in analyse(Path(folder)).items():
            found = json.loads(file.read_bytes())
            lines = [f"{_text(text)}: {_text(found[text])}" for text in sorted(found)]
            (SHIPPED / language).mkdir(parents=True)
            text = "{\n" + ",\n".join(lines) + "\n}\n"
            (SHIPPED / language / file.name).write_text(text, encoding="utf-8")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    if "--analyse" in sys.argv:
        kept_texts._SHIPPED = Path(os.devnull)
        with kept_texts.keep_analyses():
            for name in site_names():
                site = load_site(name)
                check_utterances(site)
                for language, text in (("en", "door"), ("ko", "문")):
                    index = cached_index(request_of(site, text), language)
                    index.talk.find_code(text, language, index.reader.lexicon.talk)
    else:
        main()
