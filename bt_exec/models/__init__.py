"""Interfaces of models for visual questions, text generation and speech.

Packs use these interfaces and model packages implement them; neither imports the other. Models are
plugins, selected by name in the settings of a pack in a site file:

=========================  ========================================================================
group of entry points      callable that returns a model
=========================  ========================================================================
``bt_exec.visual_qa``      takes the remaining settings and returns a `VisualQa`
``bt_exec.writers``        takes the remaining settings and returns a `Writer`
``bt_exec.speech``         takes nothing and returns a `Speech`; text is used without one
=========================  ========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from bt_exec.failure import UsageError
from bt_exec.plugins import load_plugin

__all__ = [
    "CUT_OFF",
    "Speech",
    "SpeechFactory",
    "TextSpeech",
    "VisualQa",
    "VisualQaFactory",
    "VqaAnswer",
    "Writer",
    "WriterFactory",
    "Written",
    "find_speech",
    "find_visual_qa",
    "find_writer",
]

CUT_OFF = "MODEL_CUT_OFF"
"""Code for a text that is missing because it exceeded the writer's length limit."""


@dataclass(frozen=True)
class VqaAnswer:
    """Answer to a visual question.

    Attributes:
        data: The answer as plain data, unchecked; None if there is none.
        why: Code of the reason for a missing answer, such as ``MODEL_TIMEOUT``.
    """

    data: Mapping[str, Any] | None = None
    why: str = ""


class VisualQa(Protocol):
    """Model that answers questions about pictures. It may take seconds; never call it in a tick."""

    def ask(self, image: Any, question: str, schema: Mapping[str, Any]) -> VqaAnswer:
        """Return the answer to `question` about `image`; never raises for a missing answer.

        Args:
            image: RGB, uint8 of shape (height, width, 3); or a list of such pictures, in order.
            question: The question, in English.
            schema: JSON Schema of the answer, an object without recursion.
        """


VisualQaFactory: TypeAlias = Callable[[Mapping[str, Any]], VisualQa]


def find_visual_qa(name: str, settings: Mapping[str, Any]) -> VisualQa:
    """Return the installed model called `name`, created with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or rejects its settings.
    """
    factory: VisualQaFactory = load_plugin("bt_exec.visual_qa", "visual_qa model", name)
    return factory(settings)


@dataclass(frozen=True)
class Written:
    """Generated text.

    Attributes:
        text: The text as generated, unchecked; None if there is none.
        why: Code of the reason for a missing text, such as ``MODEL_TIMEOUT``.
        model: Name of the model, as reported by its server.
        usage: Cost, with the keys of `bt_exec.planning.compiler.Plan.usage`.
    """

    text: str | None = None
    why: str = ""
    model: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)


class Writer(Protocol):
    """Text generator. It may take minutes; never call it in a tick."""

    def write(self, role: str, said: Sequence[str]) -> Written:
        """Return the generated text; never raises if there is none.

        Args:
            role: System prompt: the writer's role and the form of the text.
            said: Messages of caller and writer in alternation: the request, then each generated
                text and the comment on it. The last message is from the caller.
        """


WriterFactory: TypeAlias = Callable[[Mapping[str, Any]], Writer]


def find_writer(name: str, settings: Mapping[str, Any]) -> Writer:
    """Return the installed writer called `name`, created with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or rejects its settings.
    """
    factory: WriterFactory = load_plugin("bt_exec.writers", "writer", name)
    return factory(settings)


class Speech(Protocol):
    """Speech recognition and synthesis. It may take seconds; never call it in a tick."""

    def transcribe(self, audio: bytes, language: str) -> str:
        """Return the text that is spoken in an audio file.

        Args:
            audio: The file, as a browser records it: WebM, Ogg, MP4 or WAV.
            language: Expected language, ``en`` or ``ko``.

        Raises:
            UsageError: If the file cannot be transcribed.
        """

    def synthesize(self, text: str, language: str) -> bytes:
        """Return an audio file with the spoken text; empty if it cannot be spoken."""


SpeechFactory: TypeAlias = Callable[[], Speech]


class TextSpeech:
    """Default `Speech` without a model: recordings are UTF-8 texts, and nothing is spoken."""

    def transcribe(self, audio: bytes, language: str) -> str:  # noqa: ARG002 - as the protocol
        """Return the content of a UTF-8 text file, unchanged."""
        try:
            return audio.decode()
        except UnicodeDecodeError:
            raise UsageError(
                "speech recognition is not installed; give `serve --speech NAME`, or send text"
            ) from None

    def synthesize(self, text: str, language: str) -> bytes:  # noqa: ARG002 - as the protocol
        """Return empty audio, because the text is shown instead."""
        return b""


def find_speech(name: str) -> Speech:
    """Return the installed speech plugin called `name`; `TextSpeech` for an empty name.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported.
    """
    if not name:
        return TextSpeech()
    factory: SpeechFactory = load_plugin("bt_exec.speech", "speech plugin", name)
    return factory()
