"""Captures the snapshot of a Debian guest at work, for measuring on real memory."""
