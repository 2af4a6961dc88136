"""The time that the checks use for costly inspections, and its limit."""

from __future__ import annotations

from dpkb_audit.system import time

# The inspections of a process cost at most about this many seconds, and this share of the time that it has
# used. Inspections of samples are counted separately, because there are many.
_LIMITS = 0.07, 0.005
# The same for a worker that is started again in a later epoch: otherwise, short epochs would become slow.
_LIMITS_LATER = 0.004, 0.001
# If none of its checks could look, an event counts with at most this cost. The measured time may be longer,
# because other processes had the core.
_MAX_CHEAP_EVENT_SECONDS = 0.0005
# The cost of calling a module hook, without the time that is measured inside of the hook.
_HOOK_SECONDS = 6e-6


class LookBudget:
    """The seconds that the checks of one process have used, and whether they may use more."""

    def __init__(self) -> None:
        self.started_at, self._cpu_start = time.perf_counter(), time.process_time()
        # Seconds that were used for inspections of samples, and for all other inspections.
        self.samples_seconds = self.other_seconds = 0.0
        self._free_seconds, self._share_of_time = _LIMITS
        # Whether children that are forked now repeat what earlier ones did, so that they may use less; and whether
        # this process is one of them.
        self.repeats_children = self.is_repeat = False
        # Seconds that passed while events were handled. The program did not wait for data in this time.
        self.event_seconds = 0.0
        # When the last event began.
        self.event_start = 0.0
        # For the present event: whether it is about samples, whether its checks can look (None until a check
        # calls can_look), and the CPU time at the first inspection.
        self._is_samples = False
        self._allowed: bool | None = None
        self._look_start: float | None = None

    def can_look(self) -> bool:
        """Whether there is time for a costly inspection, such as hashing samples or comparing parameters.

        The result is the same for all checks of an event.
        """
        if self._allowed is None:
            looked = self.samples_seconds if self._is_samples else self.other_seconds
            self._allowed = looked < self._allowance()
            # The cost of an inspection is its CPU time, because other work on the machine makes it take
            # longer. That clock is slow to read, so it is read only here.
            if self._allowed:
                self._look_start = time.thread_time()
        return self._allowed

    def is_cheap(self, more: float = 0) -> bool:
        """Whether inspections, except those of samples, and `more` seconds have cost little so far.

        For code outside of checks; a check calls `can_look`.
        """
        return self.other_seconds + more < self._allowance()

    def _allowance(self) -> float:
        """The seconds that inspections may have cost by now. Time in which the process waits does not count."""
        used = min(self.seconds(), time.process_time() - self._cpu_start)
        return self._free_seconds + self._share_of_time * used

    def seconds(self) -> float:
        """Seconds since the audit of this process began."""
        return time.perf_counter() - self.started_at

    def start_event(self, event: str) -> None:
        """Begin to measure: the checks handle an event from now on."""
        self._is_samples = event == "samples"
        self.event_start = time.perf_counter()

    def end_event(self) -> None:
        """Add the cost of the event that the checks have handled."""
        cost = time.perf_counter() - self.event_start
        self.event_seconds += cost
        if self._look_start is not None:
            cost = time.thread_time() - self._look_start
            self._look_start = None
        elif cost > _MAX_CHEAP_EVENT_SECONDS:
            cost = _MAX_CHEAP_EVENT_SECONDS
        if self._is_samples:
            self.samples_seconds += cost
        else:
            self.other_seconds += cost
        self._allowed = None

    def add_hook(self) -> None:
        """Add the cost of a call of a module hook."""
        self.other_seconds += _HOOK_SECONDS

    def restart(self) -> None:
        """Begin again, in a forked child."""
        self.is_repeat = self.repeats_children
        self._free_seconds, self._share_of_time = _LIMITS_LATER if self.is_repeat else _LIMITS
        self.started_at, self._cpu_start = time.perf_counter(), time.process_time()
        self.other_seconds = self.samples_seconds = 0.0
