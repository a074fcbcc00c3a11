"""Key files as suspend-keygen writes them, made by hand: with a cost that takes no time, and of known halves."""

import hashlib
import os
from dataclasses import dataclass

from opener import primitives

# The least that a reader accepts.
CHEAP = (8, 1, 1)


@dataclass(frozen=True)
class KeyPair:
    """A key pair, the text of its file, and what the file hides."""

    public: bytes
    private: bytes
    text: str


def key_pair(passphrase, private=None, cost=CHEAP):
    """A pair whose private half is sealed with the bytes of `passphrase`."""
    private = os.urandom(32) if private is None else private
    public = primitives.x25519(private)
    salt, nonce = os.urandom(16), os.urandom(12)
    key = primitives.argon2id(passphrase, salt, *cost)
    sealed, tag = primitives.chacha_seal(key, nonce, b"dormouse private key" + public, private)
    memory_kib, passes, lanes = cost
    text = (
        "dormouse key 1\n"
        f"public {public.hex()}\n"
        f"salt {salt.hex()}\n"
        f"argon2id {memory_kib} {passes} {lanes}\n"
        f"nonce {nonce.hex()}\n"
        f"private {sealed.hex()} {tag.hex()}\n"
    )
    return KeyPair(public, private, with_check(text))


def with_check(text):
    """The lines of a key file and the check line that belongs to them."""
    return f"{text}check {hashlib.sha256(text.encode()).hexdigest()[:16]}\n"
