"""Compiler that asks a language model for plans, and verifies them as untrusted input.

Any model with the Messages protocol can be used: Claude, or a local model through ``base_url``. An
answer is parsed and checked. If it has problems, they are sent back, until ``rounds`` questions
have been asked. After that, the offline compiler plans if the site sets ``fallback: offline``;
otherwise the command is refused with the reasons. If a step fails and the trees of the plan list an
alternative, the model is not asked, unless the site sets ``repair: model``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field

from bt_exec.failure import Refusal, SpecError
from bt_exec.files import expand_home
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request, VerifiedPlan
from bt_exec.planning.failed_part_repair import find_alternative, repaired_plan
from bt_exec.planning.multi_robot import RobotsCompiler
from bt_exec.planning.plan_preparation import prepare
from bt_exec.spec.model import Do, walk
from bt_exec.spec.user_data_validation import UserData, read_settings
from bt_exec_llm.client import (
    Block,
    Image,
    Model,
    ModelClient,
    ModelSettings,
    Prices,
    Question,
    Recorder,
)
from bt_exec_llm.client.connection import endpoint_checks
from bt_exec_llm.model_compiler.plan_effects import Meant, offline_plan
from bt_exec_llm.model_compiler.planning_dialogue import Result, refusal_of, run_dialogue, sentences
from bt_exec_llm.model_compiler.prompt import build_prompt
from bt_exec_llm.offline import create as create_offline

__all__ = [
    "AS_RECORDED",
    "ModelCompiler",
    "PlanningSettings",
    "create",
    "estimate",
    "estimated_tokens",
    "recorded_client",
    "split_settings",
]

_Own = TypeVar("_Own", bound=BaseModel)

AS_RECORDED = ("rounds", "fallback", "image", "prompt", "first")
"""Settings that a replay must have in common with the recording to make the same plans."""


class PlanningSettings(UserData):
    """Settings of the model compiler.

    Attributes:
        first: ``offline`` to ask the model only about commands that the offline compiler does not
            understand; ``model`` to ask the model about every command.
        rounds: Maximum number of questions for one plan, including requests to correct it.
        fallback: Compiler that plans if no plan of the model is valid; None to refuse the command.
        repair: Planning after a failure: ``library`` to use the alternatives that the trees of the
            plan list, and the model if there are none; ``model`` to always ask the model.
        image: Whether to send the camera picture to the model.
        prompt: ``full`` for plans in the whole tree language; ``short``, for small models, for
            plans that only list trees of the library with arguments.
        record: File to which every exchange is appended, for the compiler ``replay:FILE``.
    """

    first: Literal["offline", "model"] = "offline"
    rounds: Annotated[int, Field(ge=1, le=5)] = 3
    fallback: Literal["offline"] | None = None
    repair: Literal["library", "model"] = "library"
    image: bool = False
    prompt: Literal["full", "short"] = "full"
    record: Path | None = None


class ModelCompiler:
    """Compiler that asks a model for plans; implements `bt_exec.planning.compiler.Compiler`.

    Args:
        model: The model.
        settings: Settings of the compiler.
        prices: Prices of tokens, for estimates.
        offline: Compiler that plans without a model; a new offline compiler by default.
    """

    name = "claude"

    def __init__(
        self,
        model: Model,
        settings: PlanningSettings | None = None,
        *,
        prices: Prices | None = None,
        offline: Compiler | None = None,
    ) -> None:
        self.model = model
        self.settings = settings or PlanningSettings()
        self._prices = prices or Prices()
        self._offline = RobotsCompiler(offline or create_offline({}))

    def warm_up(self, language: str) -> None:
        """Start loading the offline compiler's data for a language; return at once."""
        self._offline.warm_up(language)

    def _question(self, request: Request) -> Question:
        short = self.settings.prompt == "short"
        return build_prompt(request, image=self.settings.image, short=short)

    def prompt(self, request: Request) -> str:
        """Return the prompt as readable text; nothing is sent."""
        return self._question(request).to_text()

    def doctor(self) -> Iterator[tuple[str, str, str, str]]:
        """Check the key and the address for ``bt-exec doctor``; no request is sent."""
        return endpoint_checks(self.model)

    def estimate(self, request: Request) -> Mapping[str, float]:
        """Return the size and the cost of the first question; no request is sent."""
        return estimate(self._question(request), self._prices)

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return a plan that passes every check, a refusal or a reply; may take a long time."""
        if request.previous is None:
            plain = self._offline.compile(request)
            first = self.settings.first == "offline"
            if isinstance(plain, Reply) or (first and isinstance(plain, Plan)):
                return plain
        known = self.library_alternative(request) if self.settings.repair == "library" else None
        if known is not None:
            return Plan(known.written, verified=known)
        meant = offline_plan(request, self._offline)
        if isinstance(meant, Refusal) and request.previous is None:
            return replace(meant, calls=0)
        result = run_dialogue(
            self.model,
            self._question(request),
            request,
            None if isinstance(meant, Refusal) else meant,
            rounds=self.settings.rounds,
            compiler=self.name,
        )
        if result.plan is not None:
            usage, requests = result.usage.to_dict(), result.requests
            plan = result.plan
            unconfirmed = "" if isinstance(meant, Meant) else _consent_notice(plan, request)
            return Plan(plan.written, result.calls, usage, requests, unconfirmed, plan)
        return self._without_model_plan(request, result)

    def library_alternative(self, request: Request) -> VerifiedPlan | None:
        """Return the failed plan with an alternative from the library; None without a valid one."""
        if find_alternative(request) is None:
            return None
        note = sentences().say("LIBRARY_REPAIR", request.language)
        try:
            return prepare(repaired_plan(request, self.name).with_header(notes=(note,)), request)
        except SpecError:
            return None

    def _without_model_plan(self, request: Request, result: Result) -> Plan | Refusal:
        """Return the fallback compiler's plan, or a refusal, after a dialogue without a plan."""
        again = request.previous is not None
        other = self._offline.compile(request)
        cancelled = result.failure is not None and result.failure.code == "MODEL_CANCELLED"
        if self.settings.fallback == "offline" and isinstance(other, Plan) and not cancelled:
            failed = result.failure.code if result.failure is not None else "PLAN_REJECTED"
            code = "MODEL_DECLINED" if result.cannot else failed
            against = ""
            why = code
            if code in ("MODEL_DECLINED", "MODEL_REFUSED"):  # the operator sees the reason
                why = refusal_of(result, request.language, again=again).message
                against = sentences().say("OVERRULED", request.language, why=why)
            note = sentences().say("FELL_BACK", request.language, why=why)
            spec = other.spec.with_header(notes=(*other.spec.mission.notes, note))
            usage, calls = result.usage.to_dict(), result.calls + other.calls
            return Plan(spec, calls, usage, result.requests, against)
        near = other.nearest if isinstance(other, Refusal) else ()
        return refusal_of(result, request.language, again=again, nearest=near)


def _consent_notice(plan: VerifiedPlan, request: Request) -> str:
    """Return the notice that only the model understood the command; empty without skills."""
    moves = any(walk(plan.spec.root, Do))
    return sentences().say("UNCONFIRMED", request.language) if moves else ""


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the model compiler for the settings of a site, including settings of the client.

    Raises:
        UsageError: If a setting is unknown or has an invalid value.
    """
    planning, client = split_settings(settings, PlanningSettings, "claude")
    model = recorded_client(client, planning, planning.record, AS_RECORDED)
    return ModelCompiler(model, planning, prices=client.prices)


def recorded_client(
    client: ModelSettings, own: BaseModel, file: Path | None, names: Iterable[str]
) -> ModelClient:
    """Return a client that appends its exchanges to a file, if one is given.

    Args:
        client: Settings of the client.
        own: Settings of the compiler.
        file: The file; None to record nothing.
        names: Settings of the compiler that are recorded.
    """
    if file is None:
        return ModelClient(client)
    asked = own.model_dump(mode="json", include=set(names))
    return ModelClient(client, record=Recorder(expand_home(file), asked))


def split_settings(
    settings: Mapping[str, Any], model: type[_Own], compiler: str
) -> tuple[_Own, ModelSettings]:
    """Split settings into settings of a compiler and settings of the client.

    Args:
        settings: Settings of the compiler and of the client in one mapping.
        model: Pydantic model of the compiler's settings.
        compiler: Name of the compiler, for error messages.

    Raises:
        UsageError: If a setting is unknown or has an invalid value.
    """
    own = {key: value for key, value in settings.items() if key in model.model_fields}
    rest = {key: value for key, value in settings.items() if key not in own}
    known = (*model.model_fields, *ModelSettings.model_fields)
    whose = f"the compiler {compiler}"
    return (
        read_settings(model, own, whose, known),
        read_settings(ModelSettings, rest, whose, known),
    )


_LATIN, _OTHER = 4.0, 1.2
"""Approximate characters per token, for Latin and for other text; accurate to about 25 %."""
_PICTURE = 1400
"""Number of tokens of a picture of 1024 × 1024 px: width × height / 750."""
_ANSWER = 400
"""Number of tokens of a typical plan."""


def estimate(question: Question, prices: Prices) -> dict[str, float]:
    """Return the size of a first question [characters, tokens] and its cost; nothing is sent.

    ``cached_tokens`` is the part that a server may cache between questions. ``output_tokens`` is
    the size of a typical plan. The costs, with and without cached input, are 0 without prices.
    """
    schema = estimated_tokens(json.dumps(question.schema, ensure_ascii=False))
    form = estimated_tokens(max(question.plain or "", question.structured or "", key=len))
    stable = estimated_tokens("\n".join(block.text for block in question.system)) + form + schema
    blocks = question.messages[-1].blocks
    texts = [block.text for block in blocks if isinstance(block, Block)]
    pictures = sum(isinstance(block, Image) for block in blocks)
    fresh = estimated_tokens("\n".join(texts)) + pictures * _PICTURE
    return {
        "characters": len(question.to_text()),
        "input_tokens": stable + fresh,
        "cached_tokens": stable,
        "output_tokens": _ANSWER,
        "cost": round(prices.cost(fresh, _ANSWER, stable, 0), 6),
        "cost_cached": round(prices.cost(fresh, _ANSWER, 0, stable), 6),
    }


def estimated_tokens(text: str) -> int:
    """Return the approximate number of tokens of a text."""
    latin = sum(char.isascii() for char in text)
    return math.ceil(latin / _LATIN + (len(text) - latin) / _OTHER)
