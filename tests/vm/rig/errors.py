"""The one error the rig raises on purpose."""


class RigError(Exception):
    """Something is missing, broke or hung; the text says what, for a person to act on."""
