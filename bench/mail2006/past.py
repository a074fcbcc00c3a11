"""What was measured before, to compare with: in the mail of 2006, and of uswsusp in a guest like ours."""

from dataclasses import dataclass

from mail2006.grid import OFF


@dataclass(frozen=True)
class PastRow:
    """One row of an old table, named as the cells of ours are; None where it gives no figure."""

    source: str
    codec: str
    early: str
    size: str
    pages: int
    write_seconds: float
    read_seconds: float = None


MAIL = "the mail, 2006"
USWSUSP = "uswsusp in such a guest"

# Stefan Seyfried's measurements, as quoted on suspend-devel in September 2006: Pentium M 1600 MHz, 512 MB, a
# disk of 17.5 MB/s (write) and 23.5 MB/s (read), whole seconds. Packed means LZF. The cap was 234045849 bytes,
# 45 % of what free(1) gave as total.
_MAIL_ROWS = (
    PastRow(MAIL, "none", OFF, "max", 60080, 25),
    PastRow(MAIL, "none", "20", "max", 61546, 19),
    PastRow(MAIL, "none", "1", "max", 60050, 15),
    PastRow(MAIL, "lzf", OFF, "max", 62382, 25, 6),
    PastRow(MAIL, "lzf", "1", "max", 62057, 20),
    PastRow(MAIL, "none", OFF, "45%", 54620, 14),
    PastRow(MAIL, "none", "20", "45%", 54873, 9),
    PastRow(MAIL, "none", "1", "45%", 54727, 10, 9),
    PastRow(MAIL, "lzf", OFF, "45%", 55851, 18, 5),
    PastRow(MAIL, "lzf", "1", "45%", 55638, 18, 5),
)

# uswsusp (suspend-utils), in a guest with the same memory and the same limits on its disk; LZO packed to
# 0.36. Its step of early writeout is not recorded, the pages are rounded.
_USWSUSP_ROWS = (
    PastRow(USWSUSP, "none", "", "max", 62000, 14.6, 11.4),
    PastRow(USWSUSP, "lzo", "", "max", 62000, 5.2, 4.5),
    PastRow(USWSUSP, "none", "", "45%", 50000, 12.0, 9.3),
    PastRow(USWSUSP, "lzo", "", "45%", 50000, 4.2, 3.6),
)

ROWS = _MAIL_ROWS + _USWSUSP_ROWS
