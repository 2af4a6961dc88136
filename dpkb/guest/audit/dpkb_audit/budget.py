"""The time that the checks use for costly looks, and the limit on it."""

from __future__ import annotations

import time

# The looks of a process may cost these seconds, and this share of the time that has passed. Looks at samples,
# of which there are many, are counted separately.
_FREE_SECONDS = 0.1
_SHARE_OF_TIME = 0.015
# An event costs at most this, if none of its checks could look. The time that passed may be
# longer, because other processes had the core.
_MAX_CHEAP_EVENT_SECONDS = 0.0005
# The cost of calling a module hook, beside the time that is measured in it.
_HOOK_SECONDS = 2e-6


class LookBudget:
    """The seconds that the checks of one process have used, and whether they may use more."""

    def __init__(self) -> None:
        self.started_at = time.perf_counter()
        # Seconds that looking has cost: at samples, and at everything else.
        self.samples_seconds = self.other_seconds = 0.0
        # Seconds that passed while events were handled. They are not time spent waiting for data.
        self.event_seconds = 0.0
        # When the last event began.
        self.event_start = 0.0
        # The event that is being handled: whether it is about samples, whether its checks can look (None
        # until one asks), and the CPU time when they began to.
        self._is_samples = False
        self._allowed: bool | None = None
        self._look_start: float | None = None

    def can_look(self) -> bool:
        """Whether a costly look (hashing samples, comparing parameters) is still cheap beside the run. The
        answer is the same for all checks that handle an event.
        """
        if self._allowed is None:
            looked = self.samples_seconds if self._is_samples else self.other_seconds
            self._allowed = looked < _FREE_SECONDS + _SHARE_OF_TIME * (self.event_start - self.started_at)
            # Costly looks are counted by the time that they compute: on a machine with other work they take
            # longer. That clock is slow to read.
            if self._allowed:
                self._look_start = time.thread_time()
        return self._allowed

    def is_cheap(self) -> bool:
        """Whether looking has cost little so far, but for samples. For code outside of checks; a check asks
        `can_look`.
        """
        return self.other_seconds < _FREE_SECONDS + _SHARE_OF_TIME * self.seconds()

    def seconds(self) -> float:
        """Seconds since the audit of this process began."""
        return time.perf_counter() - self.started_at

    def start_event(self, event: str) -> None:
        """Begin to measure: the checks handle an event from now on."""
        self._is_samples = event == "samples"
        self.event_start = time.perf_counter()

    def end_event(self) -> None:
        """Add the cost of the event, which the checks have handled."""
        cost = time.perf_counter() - self.event_start
        self.event_seconds += cost
        if self._look_start is not None:
            cost = time.thread_time() - self._look_start
            self._look_start = None
        elif cost > _MAX_CHEAP_EVENT_SECONDS:
            cost = _MAX_CHEAP_EVENT_SECONDS
        if self._is_samples:
            self.samples_seconds += cost
            self._is_samples = False
        else:
            self.other_seconds += cost
        self._allowed = None

    def add_hook(self) -> None:
        """Add the cost of a call of a module hook."""
        self.other_seconds += _HOOK_SECONDS

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self.started_at, self.other_seconds, self.samples_seconds = time.perf_counter(), 0.0, 0.0
