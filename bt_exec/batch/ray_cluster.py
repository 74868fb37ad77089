"""Connection to a Ray cluster; needs the extra ``ray``."""

from __future__ import annotations

from collections.abc import Mapping
from os import environ
from typing import Any

from bt_exec.failure import UsageError

__all__ = ["connect"]


def connect(workers: int) -> Any:
    """Return the module ``ray``, connected to a cluster.

    If ``RAY_ADDRESS`` is set, that cluster is used, otherwise one on this machine.

    Args:
        workers: Number of workers of a cluster on this machine.

    Raises:
        UsageError: If Ray is not installed, or its cluster cannot be reached.
    """
    try:
        import ray
    except ImportError:
        raise UsageError("--engine ray needs ray: pip install 'bt-exec[ray]'") from None
    environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # otherwise Ray sends usage statistics
    own: Mapping[str, Any] = {} if environ.get("RAY_ADDRESS") else {"num_cpus": workers}
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="error", **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(f"the Ray cluster cannot be used: {error}") from error
    return ray
