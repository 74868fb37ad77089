"""Library of the trees of a site's packs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from bt_exec.failure import Problem, SpecError, UnknownName
from bt_exec.files import is_pipe_or_device
from bt_exec.spec.condition_expression import Is, map_named_conditions
from bt_exec.spec.load import Loaded, load_file
from bt_exec.spec.model import (
    Check,
    Do,
    MissionSpec,
    NodeBase,
    Sequence,
    Tree,
    TreeSpec,
    rebuild,
)
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.spec.yaml_source import Source

__all__ = ["Document", "Library", "with_renamed_parts"]


class Library:
    """Trees by name; a duplicate name is an error unless the later tree may override the earlier.

    Attributes:
        replaced: File of each overridden tree, by its name.
    """

    def __init__(self, loaded: Iterable[Loaded] = ()) -> None:
        self._trees: dict[str, TreeSpec] = {}
        self._sources: dict[str, Source] = {}
        self.replaced: dict[str, str] = {}
        for document, source in loaded:
            self.add(document, source)

    @classmethod
    def load(
        cls,
        folders: Iterable[Path],
        change: Callable[[Path, TreeSpec], Iterable[TreeSpec]] = lambda _, tree: (tree,),
        overrides: Mapping[Path, Collection[str]] = MappingProxyType({}),
    ) -> Library:
        """Load every ``*.yaml`` and ``*.yml`` under `folders`.

        Args:
            folders: Folders of tree files.
            change: Called with a folder and a tree of it; returns the trees to add for this tree.
            overrides: For each folder, names of its trees that may override trees of earlier
                folders.

        Raises:
            SpecError: Contains every mistake of every file.
        """
        library = cls()
        problems: list[Problem] = []
        for folder in folders:
            found = (file for file in folder.rglob("*") if file.suffix.lower() in (".yaml", ".yml"))
            for path in sorted(found):
                if is_pipe_or_device(path):
                    message = "is a pipe or a device; take it out of the folder"
                    problems.append(Problem("UNREADABLE", message, file=str(path)))
                    continue
                try:
                    document, source = load_file(path)
                    trees: Iterable[object] = (document,)
                    if isinstance(document, TreeSpec):
                        trees = change(folder, document)
                    for tree in trees:
                        library.add(tree, source, overrides.get(folder, ()))
                except SpecError as error:
                    problems.extend(error.problems)
        if problems:
            raise SpecError(problems)
        return library

    def add(self, document: object, source: Source, overrides: Collection[str] = ()) -> None:
        """Add one tree.

        Args:
            document: The tree; other documents are rejected.
            source: Source text of the tree.
            overrides: Names of trees that it may override.

        Raises:
            SpecError: ``NOT_A_TREE`` for a mission, ``DUPLICATE_TREE`` for a name that is taken.
        """
        if not isinstance(document, TreeSpec):
            message = "is a mission; a library holds trees"
            raise SpecError([source.problem("NOT_A_TREE", message)])
        if document.tree in self._trees:
            other = self._sources[document.tree].file
            if document.tree not in overrides:
                message = f"tree {document.tree!r} is already defined in {other}"
                raise SpecError([source.problem("DUPLICATE_TREE", message, ("tree",))])
            self.replaced[document.tree] = other
        self._trees[document.tree] = document
        self._sources[document.tree] = source

    def add_missing(self, other: Library) -> None:
        """Add the trees of another library whose names are not in this one."""
        for name in [name for name in other.names() if name not in self._trees]:
            self.add(other.get(name), other.source(name))

    def __contains__(self, name: object) -> bool:
        """Return True if there is a tree called `name`."""
        return name in self._trees

    def __iter__(self) -> Iterator[TreeSpec]:
        """Iterate over the trees in the order in which they were added."""
        return iter(self._trees.values())

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self._trees)

    def acting_first(self) -> list[TreeSpec]:
        """Return all trees; those that run no skill come last."""
        return sorted(self, key=lambda tree: _only_asks(tree.root))

    def names(self) -> tuple[str, ...]:
        """Return the names of all trees."""
        return tuple(self._trees)

    def get(self, name: str) -> TreeSpec:
        """Return the tree called `name`.

        Raises:
            UnknownName: If it does not exist.
        """
        if name not in self._trees:
            raise UnknownName("tree", name, self._trees)
        return self._trees[name]

    def source(self, name: str) -> Source:
        """Return the source text of the tree called `name`."""
        return self._sources[name]


Document = TypeVar("Document", TreeSpec, MissionSpec)


def _only_asks(root: NodeBase) -> bool:
    return all(isinstance(node, Check | Sequence) for _, node in nodes_with_paths(root))


def with_renamed_parts(
    document: Document, name_of: Callable[[str], str], tree_of: Callable[[str], str] = str
) -> Document:
    """Return a document with renamed skills, conditions, types and trees.

    Args:
        document: A tree or a mission.
        name_of: Returns the new name of a skill, condition or type.
        tree_of: Returns the new name of a tree.
    """

    def renamed_leaf(leaf: Is, _: object) -> Is:
        return leaf.model_copy(update={"name": name_of(leaf.name)})

    def renamed_node(old: NodeBase) -> NodeBase:
        update: dict[str, Any] = {}
        if isinstance(old, Do):
            update["do"] = name_of(old.do)
        if isinstance(old, Tree):
            update["tree"] = tree_of(old.tree)
        update |= old.with_conditions(lambda _, part: map_named_conditions(part, renamed_leaf))
        return old.model_copy(update=update)

    changed: dict[str, Any] = {"root": rebuild(document.root, renamed_node)}
    if isinstance(document, TreeSpec):
        changed["tree"] = tree_of(document.tree)
        changed["otherwise"] = tuple(
            way.model_copy(update={"tree": tree_of(way.tree)}) if way.tree else way
            for way in document.otherwise
        )
        changed["params"] = {
            name: param.model_copy(update={"type": name_of(param.type)})
            for name, param in document.params.items()
        }
    return document.model_copy(update=changed)
