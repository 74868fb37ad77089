"""Models of a site file: packs, compiler, rates, limits, guard, retention, overrides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from bt_exec.guardian.stop_action import WITHIN_S, Guard
from bt_exec.planning.confirmation import ConfirmMode
from bt_exec.spec.field_types import Duration
from bt_exec.spec.user_data_validation import UserData

__all__ = ["CompilerSettings", "GuardSettings", "Keep", "Limits", "Rates", "SiteFile", "Summary"]


class Rates(UserData):
    """Rates of ticks and observations.

    Attributes:
        tick_hz: Rate of ticks [Hz].
        look_hz: Maximum rate of the observations that nodes request [Hz].
        idle_look_hz: Rate of observations if no node requests any [Hz]; 0 for none.
        latency_s: Simulated time from a capture to its observation in simulations [s]; with 0,
            observations arrive before the next tick. Real perception has its own latency.
    """

    tick_hz: Annotated[float, Field(ge=1, le=200)] = 20.0
    look_hz: Annotated[float, Field(gt=0, le=100)] = 5.0
    idle_look_hz: Annotated[float, Field(ge=0, le=100)] = 1.0
    latency_s: Annotated[float, Field(ge=0, le=1)] = 0.0


class Limits(UserData):
    """Budgets and deadlines.

    Attributes:
        replans: Maximum number of plans after the first.
        turns: Maximum number of turns if the compiler plans turn by turn.
        cancel_s: Time limit of a skill's clean-up before the robot is stopped [s].
        still_s: Time limit for a robot to be still after a stop [s].
        look_s: Time limit of a single observation [s]; the mission then continues without it.
        plan_s: Time limit of a compiler [s].
        step_s: Time limit of a remote simulation for one tick [s].
        hang_s: Time limit of a single call of a skill, condition, capture, hook or listener [s,
            wall clock]. After it, the robot is stopped and the mission fails. Default: 0.5 s with a
            real robot; 30 s if everything is simulated, because a busy machine may be slow and no
            real robot moves.
        stall_s: Time limit between two ticks [s, wall clock]. After it, the robot is stopped and
            the mission fails. It is exceeded, for example, if the machine is suspended or swaps.
            Default: `within` of the guard if there is a guardian. Otherwise 3 s or twice `hang_s`
            with a real robot; no limit if everything is simulated.
    """

    replans: Annotated[int, Field(ge=0, le=20)] = 3
    turns: Annotated[int, Field(ge=1, le=100)] = 24
    cancel_s: Annotated[float, Field(gt=0, le=30)] = 1.0
    still_s: Annotated[float, Field(gt=0, le=30)] = 2.0
    look_s: Annotated[float, Field(gt=0, le=120)] = 10.0
    plan_s: Annotated[float, Field(gt=0, le=600)] = 120.0
    step_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    hang_s: Annotated[float, Field(ge=0.05, le=600)] | None = None
    stall_s: Annotated[float, Field(ge=0.1, le=600)] | None = None


class GuardSettings(UserData):
    """Settings of the guardian process, which stops the robot; see `bt_exec.guardian`.

    Attributes:
        stop: Command that stops the robot, as a line or a list of words, or ``module:function``. It
            runs in a separate process and must also work if the robot is not moving. Exit code 0
            means that the robot has stopped.
        within: Time without a heartbeat after which the robot is stopped.
    """

    stop: str | tuple[str, ...]
    within: Duration = WITHIN_S

    @field_validator("stop", mode="before")
    @classmethod
    def _check_stop(cls, stop: Any) -> Any:
        Guard(stop)
        return stop

    @model_validator(mode="after")
    def _check_usable(self) -> GuardSettings:
        self.to_guard()
        return self

    def to_guard(self) -> Guard:
        """Return the settings as a `Guard`."""
        return Guard(self.stop, within_s=self.within)


class Keep(UserData):
    """Retention of the site's missions in the journal; unlimited by default.

    Attributes:
        days: Maximum age of a mission; older missions are removed.
        megabytes: Maximum size of journal and frames together; the oldest missions are removed
            until the size is smaller.
    """

    days: Annotated[float, Field(gt=0)] | None = None
    megabytes: Annotated[float, Field(gt=0)] | None = None


class CompilerSettings(BaseModel):
    """Name of the compiler, and its settings as further fields.

    Attributes:
        name: Name of the compiler.
        of: Names of other compilers, by the pack for which each plans parts of commands.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = "offline"
    of: Mapping[str, str] = Field(default_factory=dict)

    def settings(self) -> dict[str, Any]:
        """Return the compiler's own settings."""
        return dict(self.model_extra or {})


class Summary(UserData):
    """Description of a site in one line, by language."""

    en: str
    ko: str


class SiteFile(UserData):
    """Content of a site file. Packs and compilers validate their own settings.

    Attributes:
        summary: Description in one line, or one for each language.
        trees: Folder with the site's own trees, relative to the site file.
        tools: Python files with the site's own skills and conditions.
        lexicon: File with further words.
        messages: File with sentences and phrases that replace those of packs.
        overrides: Names of trees, skills and conditions of packs that the site replaces.
    """

    site: str
    summary: str | Summary = ""
    packs: Annotated[Mapping[str, Mapping[str, Any]], Field(min_length=1)]
    compiler: CompilerSettings = CompilerSettings()
    rates: Rates = Rates()
    limits: Limits = Limits()
    confirm: ConfirmMode = "unknown"
    guard: GuardSettings | None = None
    keep: Keep = Keep()
    trees: str = ""
    tools: tuple[str, ...] = ()
    lexicon: str = ""
    messages: str = ""
    overrides: tuple[str, ...] = ()
