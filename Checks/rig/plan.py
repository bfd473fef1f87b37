# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The actions that a player performs, and the observations."""

import time
from dataclasses import dataclass, field

from stage import waiting


# A player reports the target as soon as it receives the seek. Only a larger progress than this, in seconds, shows that
# it plays on.
MOVED = 0.1


@dataclass(frozen=True)
class Plan:
    """Plays from the start, then seeks to one position after another; times in seconds."""

    # How far it plays from the start.
    start: float = 2.0
    # The targets of the seeks, and how far it plays from each.
    seeks: tuple = ()
    after: float = 1.0
    # Whether there are moving pictures to compare; a cover does not count.
    has_pictures: bool = True
    # How long a single action may take in real time.
    limit: float = 60.0


@dataclass
class Step:
    """A seek."""

    asked: float
    # The player's position when the seek ended, and how far it played from there.
    landed: float
    reached: float
    # How long the seek took in real time.
    seconds: float
    # A digest of the picture shown after the seek.
    picture: str | None = None
    # The real time until the media time moved again; None if the player was paused for a picture.
    moving: float | None = None
    # The time of the request, by `time.monotonic`.
    begun: float = 0.0


@dataclass
class Played:
    """The observations of a player."""

    player: str
    duration: float
    # The real time until something played, and how far it played from the start.
    opening: float
    started: float
    steps: list = field(default_factory=list)
    # By position: digests of the decoded data from there, every picture and sample.
    digests: dict = field(default_factory=dict)
    # The player's error messages.
    complaints: list = field(default_factory=list)
    # Other reports of the player, such as counts of pictures.
    more: dict = field(default_factory=dict)

    @property
    def pictures(self):
        return {step.asked: step.picture for step in self.steps}

    def facts(self):
        """The results that do not depend on the clock."""
        return {"pictures": self.pictures, "samples": self.digests}

    def same_as(self, other):
        """Whether all compared pictures and samples are the same."""
        return self.facts() == other.facts()


def follow(name, run, plan):
    """Drives a player that accepts commands; `run` has the same methods for each player.

    It has `position()`, `duration()`, `pause()`, `resume()`, `seek(to)`, which returns when the seek is over,
    `picture()` while paused, `complaints()` and `more()`. `begun` is the time when the player received the URL.
    """
    waiting.until(lambda: run.position() > 0, plan.limit, f"{name}: playing at all")
    played = Played(name, 0, time.monotonic() - run.begun, 0)
    played.started = reach(name, run, plan.start, plan.limit)
    played.duration = run.duration()
    for asked in plan.seeks:
        # Only a paused picture can be compared; audio players seek while they play.
        if plan.has_pictures:
            run.pause()
        begin = time.monotonic()
        run.seek(asked)
        step = Step(asked, run.position(), 0, time.monotonic() - begin, begun=begin)
        if plan.has_pictures:
            step.picture = run.picture()
            run.resume()
        else:
            waiting.until(lambda: run.position() > asked + MOVED, plan.limit, f"{name}: playing on at {asked:.0f} s")
            step.moving = time.monotonic() - begin
        step.reached = reach(name, run, asked + plan.after, plan.limit)
        played.steps.append(step)
    played.complaints = run.complaints()
    played.more = run.more()
    return played


def reach(name, run, position, limit):
    waiting.until(lambda: run.position() >= position, limit, f"{name}: playing past {position:.0f} s", pause=0.05)
    return run.position()


def faults(played, plan, duration, tolerance=1.0):
    """The deviations from the plan, a sentence each."""
    found = [f"it says: {text}" for text in played.complaints]
    if abs(played.duration - duration) > tolerance:
        found.append(f"it saw {played.duration:.1f} s where {duration:.1f} s are")
    if played.started < plan.start:
        found.append(f"it played {played.started:.1f} s from the start")
    if [step.asked for step in played.steps] != list(plan.seeks):
        found.append(f"it sought {len(played.steps)} times")
    for step in played.steps:
        if abs(step.landed - step.asked) > tolerance:
            found.append(f"the seek to {step.asked:.0f} s led to {step.landed:.1f} s")
        if not step.asked + plan.after <= step.reached < step.asked + plan.after + 15:
            found.append(f"after the seek to {step.asked:.0f} s it was at {step.reached:.1f} s")
    return found
