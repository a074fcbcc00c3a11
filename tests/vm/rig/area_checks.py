"""Weighs what shows that the image went to the right swap area, and came from there."""

import base64
import re

from rig.checks import Check
from rig.errors import RigError
from rig.swap_header import PLAIN


def made_by_guest(boot, disk):
    """The swap file lies where the guest's swap-offset says: the host has searched the file system for it."""
    document = boot.transcript.documents.get("made.header")
    if document is None:
        raise RigError(f"the guest has made no swap file: {boot.transcript.get('error') or 'it does not say why'}")
    said = boot.transcript.number("made.offset")
    place = disk.adopt(base64.b64decode(document))
    found = [
        Check("swap-offset says where the swap file begins", said == place, f"it says {said}, not {place}")
    ]
    if disk.stale_page:
        stale = disk.read_page(disk.stale_page)[-len(PLAIN) :]
        found.append(
            Check(
                "where the old swap file began there is still a swap signature, and no mark",
                stale == PLAIN and place != disk.stale_page,
                repr(stale),
            )
        )
    return found


def area_alone_is_marked(disk):
    """The other swap area is as it was, byte for byte."""
    if disk.original_beside is None:
        return []
    same = disk.beside_header() == disk.original_beside
    return [Check("the other swap area's header is as it was", same, repr(disk.beside_header().page[-40:]))]


def told_of_the_area(slept, woke, area):
    """Both tools said which area it is, where they had to find that out."""
    found = []
    for tool, patterns, boot in (("s2disk", area.says, slept), ("resume", area.wake_says, woke)):
        missing = [pattern for pattern in patterns if not re.search(pattern, boot.console)]
        if patterns:
            found.append(Check(f"{tool} says which area it is", not missing, f"not found: {missing}"))
    return found
