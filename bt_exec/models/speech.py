"""Speech recognition and synthesis: the protocol, and lookup of plugins.

Plugins are found through the entry-point group ``bt_exec.speech``: a callable without arguments
that returns a `Speech`. Without one, text is used instead of speech (`TextSpeech`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from bt_exec.failure import UsageError
from bt_exec.plugins import load_plugin

__all__ = ["Speech", "SpeechFactory", "TextSpeech", "find_speech"]

_GROUP = "bt_exec.speech"


class Speech(Protocol):
    """Speech recognition and synthesis; may take seconds, so never inside a tick."""

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
    """Text in place of speech: the default, without a model. Implements `Speech`."""

    def transcribe(self, audio: bytes, language: str) -> str:  # noqa: ARG002 - as the protocol
        """Return a UTF-8 text file as it is."""
        try:
            return audio.decode()
        except UnicodeDecodeError:
            raise UsageError(
                "speech recognition is not installed; give `serve --speech NAME`, or send text"
            ) from None

    def synthesize(self, text: str, language: str) -> bytes:  # noqa: ARG002 - as the protocol
        """Return nothing: the text is shown instead."""
        return b""


def find_speech(name: str) -> Speech:
    """Return the installed speech plugin called `name`; `TextSpeech` for an empty name.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported.
    """
    if not name:
        return TextSpeech()
    factory: SpeechFactory = load_plugin(_GROUP, "speech plugin", name)
    return factory()
