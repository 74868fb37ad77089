"""Implementation of ``bt-exec label dataset``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from bt_exec.batch.store import ResultStore
from bt_exec.failure import UnknownName, UsageError
from bt_exec.files import expand_home
from bt_exec.spec.user_data_validation import read_settings
from bt_exec_labeler.batch.command import role_by_name
from bt_exec_labeler.batch.output_and_answer_cache import Output
from bt_exec_labeler.datasets.rows import reply_strata
from bt_exec_labeler.datasets.write import SetInput, write_dataset
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import content_key, items_of
from bt_exec_labeler.labelers.model_labeler import Options
from bt_exec_labeler.lerobot.annotate import annotate
from bt_exec_labeler.lerobot.language_columns import form_for_version
from bt_exec_labeler.lerobot.write import write_lerobot
from bt_exec_labeler.quality.checks import without_duplicates
from bt_exec_labeler.review.decisions import agreed_decision, decisions_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.splits import missing_splits, splits_of_run
from bt_exec_labeler.vocabulary import Vocabulary, vocabulary_of

__all__ = ["dataset"]

_FORMS = ("parquet", "lerobot")


def dataset(
    folder: Path,
    source: Path,
    words: Path,
    out: Path,
    *,
    keep_uncertain: bool,
    form: str = "parquet",
    fps: int = 2,
    drop_duplicates: bool = False,
    lerobot: str = "",
    replies: bool = False,
) -> dict[str, Any]:
    """Create a training set from a run and return its figures.

    Raises:
        UsageError: If the run used another recording or vocabulary.
        UnknownName: If there is no such format.
    """
    if form not in _FORMS:
        raise UnknownName("format", form, _FORMS)
    if replies and form != "parquet":
        raise UsageError(
            "--replies requires --format parquet; other formats cannot contain replies"
        )
    manifest = Output(folder).run_settings()
    vocabulary = vocabulary_of(folder, words, manifest)
    episodes = {episode.id: episode for episode in read_source(source)}
    records = Output(folder).record_lines()
    decided = decisions_of(folder)
    reviewed = [agreed_decision(line, decided, vocabulary) for line in records]
    kept = [
        dict(line) for line in reviewed if line is not None and _is_usable(line, keep_uncertain)
    ]
    if unknown := sorted({line["episode"] for line in kept} - set(episodes)):
        raise UsageError(
            f"{source} has no episode {unknown[0]}; it is not the recording that was labelled"
        )
    if form == "lerobot":  # a policy is trained on the plans, so failures are left out
        kept = [line for line in kept if line.get("kind") != "failure"]
    before = len(kept)
    changed = changed_items(folder, manifest, episodes.values(), vocabulary)
    kept = [line for line in kept if line["item"] not in changed]
    outdated = before - len(kept)
    repeated = 0
    if drop_duplicates:
        before = len(kept)
        kept = without_duplicates(kept, episodes)
        repeated = before - len(kept)
    answered = reply_strata(episodes.values()) if replies else []
    if replies and not answered:
        raise UsageError(
            f"{source} has no commands that were refused or answered; "
            "only journals of missions can contain them"
        )
    splits = splits_of_run(folder, [*kept, *answered], keep=True)
    about_set = (role_by_name(manifest["role"]), kept, episodes, vocabulary, splits)
    options = manifest["options"] if manifest["labeler"] == "model" else {}
    chats = read_settings(Options, options, "the labeler model")
    given = SetInput(*about_set, replies=replies, form=chats)
    warnings: list[str] = []
    about = "rows"
    if form == "lerobot":
        about = "episodes"
        language = form_for_version(lerobot)
        if is_lerobot(source):
            counts = annotate(expand_home(source), out, given, language)
        else:
            counts, warnings = write_lerobot(out, given, fps=fps, form=language)
        warnings.append(f"for LeRobot {language.version}; --lerobot chooses another version")
    else:
        counts = write_dataset(out, given)
    said = ", ".join(f"{split} {count}" for split, count in counts.items())
    lines = [f"{out}: {given.role} set, {said or 'empty'} ({about})", *warnings]
    shown = {line["episode"] for line in kept}
    empty = missing_splits([splits[name] for name in shown], len(shown))
    lines += [empty] if empty else []
    left_out = reviewed.count(None)
    failures = sum(line.get("kind") == "failure" for line in kept)
    notes = (
        (left_out, "{} records left out: reviewers rejected them, or disagree"),
        (
            outdated,
            "! {} records left out: the recording changed there since it was labelled; "
            "bt-exec label run --resume labels what is new",
        ),
        (repeated, "{} near duplicates left out"),
        (failures, "{} moments of failures in the part recovery"),
        (len(answered), "{} commands in the part replies"),
    )
    lines += [text.format(count) for count, text in notes if count]
    return {
        "folder": str(out),
        "rows": counts,
        "left_out": left_out,
        "outdated": outdated,
        "duplicates": repeated,
        "failures": failures,
        "replies": len(answered),
        "lines": lines,
    }


def changed_items(
    folder: Path, manifest: Mapping[str, Any], episodes: Iterable[Episode], vocabulary: Vocabulary
) -> set[str]:
    """Return the items of a run whose frames or actions have changed since they were labelled.

    Args:
        folder: Folder of the run.
        manifest: Settings of the run.
        episodes: Current episodes of the recording.
        vocabulary: Vocabulary of the run.
    """
    path = folder / "run.sqlite"
    if not path.is_file():
        return set()
    with closing(ResultStore(path)) as store:
        labelled = store.keys()
    how = (vocabulary, role_by_name(manifest["role"]))
    stride_s = float(manifest.get("stride_s", 0.5))
    now = {
        item.id: content_key(item)
        for episode in episodes
        for item in items_of(episode, *how, stride_s=stride_s)
    }
    return {item for item, key in labelled.items() if now.get(item) != key}


def is_lerobot(source: Path) -> bool:
    """Return True if a recording is a LeRobot data set."""
    return (expand_home(source) / "meta" / "info.json").is_file()


def _is_usable(line: Mapping[str, Any], keep_uncertain: bool) -> bool:
    """Return True if a record is certain enough for a training set, or if it is about a failure."""
    failed = line.get("kind") == "failure"
    return failed or keep_uncertain or line["record"]["uncertainty"] != "high"
