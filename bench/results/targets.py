"""What was aimed at, and whether the figures reach it. Nothing here knows the answer beforehand."""

from dataclasses import dataclass

from results.figures import Spread


@dataclass(frozen=True)
class Target:
    """A figure that must be at least, or at most, `wanted`: its median decides."""

    claim: str  # "lz4 by the LZO writer, writing"
    value: Spread
    wanted: float
    at_most: bool = False
    form: str = ".2f"
    unit: str = ""

    def met(self):
        """Whether the median reaches it."""
        return self._reaches(self.value.median)

    def _reaches(self, value):
        return value <= self.wanted if self.at_most else value >= self.wanted

    def line(self):
        """One line of a list. A miss that some of the rounds did not have says so: there the spread is wider than what
        is missing."""
        best = self.value.low if self.at_most else self.value.high
        verdict = "met" if self.met() else "**not met**"
        if not self.met() and self._reaches(best):
            verdict += ", within the spread"
        limit = "at most" if self.at_most else "at least"
        return f"* {verdict}: {self.claim}: {self.value.text(self.form)}{self.unit}, {limit} " \
               f"{self.wanted:{self.form}}{self.unit} wanted"


def text(targets):
    """The list, under its title; empty without targets."""
    return "Targets:\n\n" + "\n".join(target.line() for target in targets) + "\n" if targets else ""
