"""What a search for secrets looks for, on a disk or in memory."""


def with_halves(secrets):
    """{what: bytes} of the secrets that there are, and of both halves of those that are as long as a key: a part that was
    forgotten is found, too."""
    patterns = {}
    for what, data in secrets.items():
        if data:
            patterns[what] = data
        if len(data or b"") == 32:
            patterns[f"first half of {what}"] = data[:16]
            patterns[f"second half of {what}"] = data[16:]
    return patterns
