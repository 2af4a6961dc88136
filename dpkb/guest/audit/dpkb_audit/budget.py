"""What looking at a run costs, and how much it may cost."""

from __future__ import annotations

import time

# What looking may cost: so many seconds, and this share of the time that has passed. Samples, of which there
# are many, have an account of their own.
_SECONDS, _SHARE = 0.1, 0.015
# An event costs at most this, if none of its checks asked whether it can look. By the clock on the wall it
# may have taken longer, because other processes had the core.
_MAX_CHEAP_EVENT_SECONDS = 0.0005
# What a module hook costs beside the time that is measured in it.
_HOOK_SECONDS = 2e-6


class LookBudget:
    """The seconds that the checks of one process have used, and whether they may use more."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        # Seconds that looking has cost: at samples, and at everything else.
        self.at_samples = self.elsewhere = 0.0
        # Seconds that events have taken by the clock on the wall, which are no wait for data.
        self.spent = 0.0
        # The event that is being handled: its start, whether it is about samples, and the CPU time when a
        # check first asked whether it can look.
        self._event_began = 0.0
        self._is_samples = False
        self._looks_since: float | None = None

    def can_look(self) -> bool:
        """Whether a costly look (hashing samples, comparing parameters) is still cheap beside the run."""
        # Costly looks are counted by the time that they compute: on a machine with other work they take
        # longer. That clock is slower to read.
        if self._looks_since is None:
            self._looks_since = time.thread_time()
        return self.is_cheap()

    def is_cheap(self) -> bool:
        """Whether looking has cost little so far. For code outside of checks; a check asks `can_look`."""
        looked = self.at_samples if self._is_samples else self.elsewhere
        return looked < _SECONDS + _SHARE * self.seconds()

    def seconds(self) -> float:
        """Seconds since the audit of this process began."""
        return time.perf_counter() - self.began

    def start_event(self, about_samples: bool) -> None:
        """From now on the checks handle an event."""
        self._looks_since, self._is_samples = None, about_samples
        self._event_began = time.perf_counter()

    def end_event(self) -> None:
        """The checks have handled the event."""
        spent = time.perf_counter() - self._event_began
        self.spent += spent
        cost = (min(spent, _MAX_CHEAP_EVENT_SECONDS) if self._looks_since is None
                else time.thread_time() - self._looks_since)
        if self._is_samples:
            self.at_samples += cost
        else:
            self.elsewhere += cost
        self._is_samples = False

    def add_hook(self) -> None:
        """A hook of a module was called."""
        self.elsewhere += _HOOK_SECONDS

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self.began, self.elsewhere, self.at_samples = time.perf_counter(), 0.0, 0.0
