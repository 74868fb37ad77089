"""Loads a mutant in place of its module, in the test process and all of its children.

Python imports a `sitecustomize` on its path automatically; the environment variable has the path
of the mutant. The source tree is not changed.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import sys

VARIABLE = "BT_EXEC_MUTANT"


class Mutated(importlib.machinery.SourceFileLoader):
    """Loads the text of a mutant under the path of its module."""

    def __init__(self, name, path, text):
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname):
        return compile(self.text, self.path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    """Finds the module at `path` before all other finders."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.last = pathlib.Path(path).stem

    def find_spec(self, fullname, path=None, target=None):
        if fullname.rpartition(".")[2] != self.last and self.last != "__init__":
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin != self.path:
            return None
        return importlib.util.spec_from_file_location(
            fullname,
            self.path,
            loader=Mutated(fullname, self.path, self.text),
            submodule_search_locations=spec.submodule_search_locations,
        )


def install(path, text):
    """Load `text` for every later import of the module at `path`; return the finder."""
    finder = Finder(path, text)
    sys.meta_path.insert(0, finder)
    return finder


if written := os.environ.get(VARIABLE):
    mutant = json.loads(pathlib.Path(written).read_text(encoding="utf-8"))
    install(mutant["path"], mutant["text"])
