"""Reads what the guest said: the marked lines of its second serial port."""

_LINE = "@@ "
_BEGIN = "@@begin "
_END = "@@end "


class Transcript:
    """The results of one boot: single values by key, and whole documents by name."""

    def __init__(self, text):
        self.values = {}
        self.documents = {}
        document = None
        lines = []
        for line in text.replace("\r", "").splitlines():
            if document is not None:
                if line == _END + document:
                    self.documents[document] = "\n".join(lines).strip()
                    document = None
                else:
                    lines.append(line)
            elif line.startswith(_BEGIN):
                document = line.removeprefix(_BEGIN)
                lines = []
            elif line.startswith(_LINE) and "=" in line:
                key, value = line.removeprefix(_LINE).split("=", 1)
                self.values[key] = value

    def goes_on_from(self, earlier):
        """Adds what the same guest had said earlier, before it was kept in a file."""
        self.values = {**earlier.values, **self.values}
        self.documents = {**earlier.documents, **self.documents}

    def get(self, key):
        """The value said for `key`, or "" if the guest never came to say it."""
        return self.values.get(key, "")

    def number(self, key):
        """As get(), as a whole number; -1 if there is none."""
        value = self.get(key)
        return int(value) if value.isdigit() else -1
