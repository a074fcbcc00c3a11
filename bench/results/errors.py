"""The one error the benchmarks raise on purpose."""


class BenchError(Exception):
    """Something is missing, too small or broke; the text says what, where, and what to do about it."""
