"""Hypothesis strategies for the tree language.

- `documents`: any document that the models accept, with strings that look like other types.
- `workshop_missions`: missions over `tests.bt_exec.spec.workshop` that verification accepts.
- `mutated`: a text with a few random edits, similar to typing errors.
"""

from __future__ import annotations

import string
from typing import Any

from hypothesis import strategies as st

from bt_exec.spec.model import Document, MissionSpec, TreeSpec

__all__ = ["documents", "mutated", "names", "texts", "values", "workshop_missions"]

_TRICKY_WORDS = (
    "no|yes|on|off|true|True|null|~|y|n|5|-3|007|1_000|0x10|1e5|1E+5|1.5|.5|1.|+1|.inf|.nan|NaN"
    "|1:30|12:30:45|2026-11-21|2026-11-21T10:00:00Z|$name|$$name|$|$5| lead|trail |: |a: b|a #b|#"
    "|- a|-|?|? a|[a]|{a: b}|*a|&a|!a|%a|@a|`a|'|\"|''|\\|\\n|<<|=|---|...|…|문을 열어.|👀|é|"
    "\u2028|\x85|\ufeff|a\nb|\n|a\n\nb\n|\t|a\tb"
)
_TRICKY = _TRICKY_WORDS.split("|")

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
codes = st.from_regex(r"[A-Z][A-Z0-9_]{0,8}", fullmatch=True)
texts = st.sampled_from(_TRICKY) | st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), max_size=12
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
args = st.dictionaries(texts, values, max_size=3)
durations = st.sampled_from(["1ms", "20s", "1.5min", "24h", "0.001s", "59.999 s", "100ms"])
counts = st.integers(1, 1000)

conditions = st.recursive(
    names.filter(lambda name: name not in ("not", "all", "any")).flatmap(
        lambda name: st.just(name) | args.map(lambda given: {name: given})
    ),
    lambda inner: st.one_of(
        inner.map(lambda part: {"not": part}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
    ),
    max_leaves=4,
)
guards = st.tuples(conditions, codes).map(
    lambda both: {**({both[0]: {}} if isinstance(both[0], str) else both[0]), "else": both[1]}
)
_modifiers: dict[str, st.SearchStrategy[Any]] = {
    "name": texts.filter(bool),
    "skip_if": conditions,
    "while": conditions | guards,
    "retry": counts,
    "timeout": durations,
    "repeat": counts,
    "until": conditions | guards,
    "for_each": st.builds(
        lambda item, items, bound: {item: items, **bound},
        names.filter(lambda name: name != "at_most"),
        st.lists(scalars, max_size=3) | names.map(lambda name: f"${name}"),
        st.just({}) | st.fixed_dictionaries({"at_most": counts}),
    ),
}
choices = st.lists(texts, min_size=2, max_size=3, unique=True) | st.lists(
    st.integers(-9, 9), min_size=2, max_size=3, unique=True
)
_saves = st.dictionaries(texts, names, max_size=2)


def _with_modifiers(kind: dict[str, Any], **more: st.SearchStrategy[Any]) -> Any:
    def with_them(modifiers: dict[str, Any]) -> dict[str, Any]:
        if "repeat" not in modifiers:
            modifiers.pop("until", None)
        return {**kind, **modifiers}

    return st.fixed_dictionaries({}, optional={**_modifiers, **more}).map(with_them)


def _leaves() -> st.SearchStrategy[Any]:
    return st.one_of(
        names.flatmap(lambda name: _with_modifiers({"do": name}, **{"with": args, "save": _saves})),
        names.flatmap(
            lambda name: _with_modifiers({"tree": name}, **{"with": args, "save": _saves})
        ),
        conditions.flatmap(
            lambda check: _with_modifiers({"check": check}, tell=st.booleans(), **{"else": codes})
        ),
    )


def _composites(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    many = st.lists(inner, min_size=1, max_size=3)
    needed = st.sampled_from(["all", "any"]) | st.integers(1, 3)
    return st.one_of(
        many.flatmap(lambda nodes: _with_modifiers({"sequence": nodes})),
        many.flatmap(lambda nodes: _with_modifiers({"fallback": nodes})),
        st.lists(inner, min_size=2, max_size=3).flatmap(
            lambda nodes: _with_modifiers({"parallel": nodes}, succeed_when=needed)
        ),
        st.tuples(names, inner).map(lambda both: {"tree": both[0], "body": both[1]}),
    )


node_data = st.recursive(_leaves(), _composites, max_leaves=5)
tree_data = st.fixed_dictionaries(
    {"tree": names, "root": node_data},
    optional={
        "summary": texts,
        "utterances": st.lists(texts.filter(bool), max_size=3),
        "params": st.dictionaries(
            names,
            st.fixed_dictionaries(
                {"type": names},
                optional={
                    "default": values.filter(lambda value: value is not None),
                    "summary": texts,
                    "max": st.integers(1, 9) | st.floats(1, 9),
                    "min": st.integers(-9, 1),
                },
            )
            | st.fixed_dictionaries({"type": names, "optional": st.just(True)})
            | st.fixed_dictionaries({"choices": choices}, optional={"spoken": st.booleans()})
            | choices,
            max_size=2,
        ),
        "returns": st.dictionaries(names, texts, max_size=2),
        "otherwise": st.lists(
            st.fixed_dictionaries(
                {"after": st.lists(codes, min_size=1, max_size=2), "tree": names},
                optional={"with": args},
            ),
            max_size=2,
        ),
    },
)
mission_data = st.fixed_dictionaries(
    {
        "mission": st.fixed_dictionaries(
            {"command": texts},
            optional={
                "language": st.sampled_from(["en", "ko"]),
                "plan_version": st.integers(1, 9),
                "compiler": texts,
                "model": st.none() | texts,
                "parent": st.none() | st.integers(1, 9),
                "subgoals": st.lists(texts, max_size=2),
                "kept": st.lists(texts, max_size=2),
                "notes": st.lists(texts, max_size=2),
                "turn": st.sampled_from(["open", "last"]),
            },
        ),
        "root": node_data,
    }
)
documents: st.SearchStrategy[Document] = tree_data.map(TreeSpec.model_validate) | mission_data.map(
    MissionSpec.model_validate
)
"""Documents of every shape. Their names are unknown to every site."""


# ---- missions of the workshop pack ---------------------------------------------------------------

_arms = st.sampled_from(["left", "right"])
_things = st.sampled_from(["cup", "lid", "box"])
_workshop_conditions = st.one_of(
    st.just("lit"),
    st.sampled_from(["open", "ajar", "closed"]).map(lambda state: {"lid_is": {"state": state}}),
    _arms.map(lambda arm: {"hand_empty": {"arm": arm}}),
    _things.map(lambda thing: {"not": {"near": {"thing": thing, "within_m": 0.5}}}),
)
_workshop_modifiers = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["first", "다시", "a/b"]),
        "skip_if": _workshop_conditions,
        "while": _workshop_conditions,
        "retry": st.integers(1, 3),
        "timeout": durations.filter(lambda text: text != "24h"),
    },
)
_saving = st.just({"do": "look", "save": {"thing": "found", "count": "n"}})
_workshop_leaves = st.one_of(
    st.just({"do": "look", "with": {"camera": "$$front"}}),
    st.integers(0, 9).map(lambda count: {"do": "rest", "with": {"count": count}}),
    _arms.map(lambda arm: {"do": "open_lid", "with": {"arm": arm}}),
    _workshop_conditions.map(lambda condition: {"check": condition, "else": "NO"}),
    _arms.map(lambda arm: {"tree": "open_up", "with": {"arm": arm}}),
    _arms.map(lambda arm: {"tree": "fetch", "with": {"arm": arm}}),
    st.just({"tree": "open_up"}),
    st.just({"tree": "find"}),
).flatmap(lambda leaf: _workshop_modifiers.map(lambda modifiers: {**leaf, **modifiers}))
_using = st.just({"do": "take", "with": {"arm": "left", "thing": "$found"}})
_workshop_nodes = st.recursive(
    _workshop_leaves
    | st.tuples(_saving | st.just({"tree": "find", "save": {"what": "found"}}), _using).map(
        lambda pair: {"sequence": list(pair)}
    ),
    lambda inner: st.tuples(
        st.sampled_from(["sequence", "fallback"]), st.lists(inner, min_size=1, max_size=3)
    ).map(lambda both: {both[0]: both[1]}),
    max_leaves=6,
)
workshop_missions: st.SearchStrategy[MissionSpec] = _workshop_nodes.map(
    lambda root: MissionSpec.model_validate({"mission": {"command": "go"}, "root": root})
)
"""Missions that the workshop can run, before expansion."""


# ---- typing errors -------------------------------------------------------------------------------

_PIECES = (
    *"[]{}:,-?&*!|>'\"%@#~$\t\n ",
    "  ",
    ": ",
    "- ",
    "$x",
    "no",
    "null",
    "9" * 30,
    "문",
    "😀",
)


@st.composite
def mutated(draw: st.DrawFn, originals: list[str]) -> str:
    """Return one of `originals` with a few random edits."""
    text = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(1, 4))):
        lines = text.split("\n")
        spot = draw(st.integers(0, max(len(text) - 1, 0)))
        row = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["cut", "put", "swap", "word", "indent", "double", "drop"])):
            case "cut":
                text = text[:spot] + text[spot + draw(st.integers(1, 6)) :]
            case "put":
                text = text[:spot] + draw(st.sampled_from(_PIECES)) + text[spot:]
            case "swap":
                other = draw(st.integers(0, len(lines) - 1))
                lines[row], lines[other] = lines[other], lines[row]
                text = "\n".join(lines)
            case "word":
                words = sorted({word.strip(string.punctuation) for word in text.split()} - {""})
                old, new = (
                    draw(st.sampled_from(words or [""])),
                    draw(st.sampled_from(words or ["x"])),
                )
                text = text.replace(old, new, 1) if old else text
            case "indent":
                lines[row] = draw(st.sampled_from(["", " ", "    "])) + lines[row].lstrip()
                text = "\n".join(lines)
            case "double":
                text = "\n".join([*lines[: row + 1], *lines[row:]])
            case "drop":
                text = "\n".join([*lines[:row], *lines[row + 1 :]])
    return text
