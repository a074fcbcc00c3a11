"""Tables as Markdown has them."""


def table(head, rows):
    """Every row must have as many cells as the head."""
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"a row of {len(row)} cells under a head of {len(head)}: {row}")
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"
