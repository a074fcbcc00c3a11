"""The primitives of a sealed image that Python does not bring. Slow, and careless of secrets: for tests only.

HKDF-SHA256 (RFC 5869), ChaCha20-Poly1305 (RFC 8439), X25519 (RFC 7748), Argon2id (RFC 9106).
"""

import hashlib
import hmac
import struct


class NotAuthentic(ValueError):
    """A tag that does not match."""


def hkdf(key, salt, info, count=32):
    """HKDF-SHA256, extract and expand."""
    extracted = hmac.digest(salt, key, "sha256")
    out, block, number = b"", b"", 1
    while len(out) < count:
        block = hmac.digest(extracted, block + info + bytes([number]), "sha256")
        out += block
        number += 1
    return out[:count]


# ---- ChaCha20-Poly1305

_CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
# Columns and diagonals of four by four words, here and in Argon2's permutation.
_QUARTERS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)


def _key_stream(key, nonce, counter, blocks):
    """Blocks side by side: each word of the state is one large number, with 64 bits for each block."""
    low = int.from_bytes(b"\xff\xff\xff\xff\0\0\0\0" * blocks, "little")
    one = int.from_bytes(b"\1\0\0\0\0\0\0\0" * blocks, "little")
    counters = int.from_bytes(struct.pack(f"<{blocks}Q", *range(counter, counter + blocks)), "little")
    state = [word * one for word in (*_CONSTANTS, *struct.unpack("<8I", key))]
    state += [counters, *(word * one for word in struct.unpack("<3I", nonce))]
    words = list(state)

    def rotate(word, bits):
        word <<= bits
        return (word & low) | (word >> 32 & low)

    for _ in range(10):
        for a, b, c, d in _QUARTERS:
            words[a] = words[a] + words[b] & low
            words[d] = rotate(words[d] ^ words[a], 16)
            words[c] = words[c] + words[d] & low
            words[b] = rotate(words[b] ^ words[c], 12)
            words[a] = words[a] + words[b] & low
            words[d] = rotate(words[d] ^ words[a], 8)
            words[c] = words[c] + words[d] & low
            words[b] = rotate(words[b] ^ words[c], 7)
    columns = [
        memoryview((word + start & low).to_bytes(8 * blocks, "little")).cast("I")[::2].tolist()
        for word, start in zip(words, state)
    ]
    return b"".join(struct.pack("<16I", *block) for block in zip(*columns))


def _poly1305(key, data):
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(data), 16):
        block = data[at : at + 16]
        total = (total + int.from_bytes(block + b"\1", "little")) * r % ((1 << 130) - 5)
    return (total + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")


def _padded(data):
    return data + bytes(-len(data) % 16)


def _chacha_parts(key, nonce, text):
    """The key of the tag, and the text with the key stream over it."""
    blocks = -(-len(text) // 64)
    stream = _key_stream(key, nonce, 0, blocks + 1)
    mixed = int.from_bytes(text, "little") ^ int.from_bytes(stream[64 : 64 + len(text)], "little")
    return stream[:32], mixed.to_bytes(len(text), "little")


def _chacha_tag(key, associated, sealed):
    lengths = struct.pack("<QQ", len(associated), len(sealed))
    return _poly1305(key, _padded(associated) + _padded(sealed) + lengths)


def chacha_seal(key, nonce, associated, plain):
    """Returns the sealed text and its tag."""
    tag_key, sealed = _chacha_parts(key, nonce, plain)
    return sealed, _chacha_tag(tag_key, associated, sealed)


def chacha_open(key, nonce, associated, sealed, tag):
    """Returns the plain text."""
    tag_key, plain = _chacha_parts(key, nonce, sealed)
    if _chacha_tag(tag_key, associated, sealed) != tag:
        raise NotAuthentic("the tag does not match")
    return plain


# ---- X25519

_PRIME = (1 << 255) - 19


def x25519(scalar, point=(9).to_bytes(32, "little")):
    """The shared secret; with the base point, the public key."""
    k = int.from_bytes(scalar, "little") & ~7 & (1 << 255) - 1 | 1 << 254
    u = int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for bit in range(254, -1, -1):
        if swap ^ (k >> bit & 1):
            x2, z2, x3, z3 = x3, z3, x2, z2
        swap = k >> bit & 1
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, aa, bb = d * a % _PRIME, c * b % _PRIME, a * a % _PRIME, b * b % _PRIME
        x3, z3 = (da + cb) ** 2 % _PRIME, u * (da - cb) ** 2 % _PRIME
        e = aa - bb
        x2, z2 = aa * bb % _PRIME, e * (aa + 121665 * e) % _PRIME
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, _PRIME - 2, _PRIME) % _PRIME).to_bytes(32, "little")


# ---- Argon2id

_MASK = (1 << 64) - 1
_VERSION = 0x13
_ID = 2
_SLICES = 4
_ROWS = tuple(tuple(range(16 * row, 16 * row + 16)) for row in range(8))
_COLUMNS = tuple(tuple(2 * column + 16 * k + i for k in range(8) for i in (0, 1)) for column in range(8))


def _long_hash(data, count):
    """Argon2's H' of any length."""
    head = struct.pack("<I", count)
    if count <= 64:
        return hashlib.blake2b(head + data, digest_size=count).digest()
    block = hashlib.blake2b(head + data).digest()
    out = block[:32]
    while count - len(out) > 64:
        block = hashlib.blake2b(block).digest()
        out += block[:32]
    return out + hashlib.blake2b(block, digest_size=count - len(out)).digest()


def _mul_add(x, y):
    return x + y + 2 * (x & 0xFFFFFFFF) * (y & 0xFFFFFFFF) & _MASK


def _rotate_right(word, bits):
    return word >> bits | word << 64 - bits & _MASK


def _permute(v, places):
    for quarter in _QUARTERS:
        a, b, c, d = (places[i] for i in quarter)
        v[a] = _mul_add(v[a], v[b])
        v[d] = _rotate_right(v[d] ^ v[a], 32)
        v[c] = _mul_add(v[c], v[d])
        v[b] = _rotate_right(v[b] ^ v[c], 24)
        v[a] = _mul_add(v[a], v[b])
        v[d] = _rotate_right(v[d] ^ v[a], 16)
        v[c] = _mul_add(v[c], v[d])
        v[b] = _rotate_right(v[b] ^ v[c], 63)


def _compress(x, y):
    mixed = [a ^ b for a, b in zip(x, y)]
    out = list(mixed)
    for places in (*_ROWS, *_COLUMNS):
        _permute(out, places)
    return [a ^ b for a, b in zip(out, mixed)]


class _Argon2id:
    def __init__(self, passes, memory_kib, lanes):
        self.passes = passes
        self.lanes = lanes
        self.segment = memory_kib // (_SLICES * lanes)
        self.columns = _SLICES * self.segment
        self.blocks = [[None] * self.columns for _ in range(lanes)]

    def fill(self, first_hash):
        for lane in range(self.lanes):
            for column in (0, 1):
                start = _long_hash(first_hash + struct.pack("<II", column, lane), 1024)
                self.blocks[lane][column] = list(struct.unpack("<128Q", start))
        for number in range(self.passes):
            for part in range(_SLICES):
                for lane in range(self.lanes):
                    self._fill_segment(number, part, lane)
        last = [0] * 128
        for lane in range(self.lanes):
            last = [a ^ b for a, b in zip(last, self.blocks[lane][-1])]
        return struct.pack("<128Q", *last)

    def _addresses(self, number, part, lane):
        """Pseudorandom words that do not depend on the data."""
        zero = [0] * 128
        for counter in range(1, self.segment // 128 + 2):
            where = [number, lane, part, self.columns * self.lanes, self.passes, _ID, counter]
            yield from _compress(zero, _compress(zero, where + [0] * 121))

    def _fill_segment(self, number, part, lane):
        independent = number == 0 and part < _SLICES // 2
        words = list(self._addresses(number, part, lane)) if independent else None
        own = self.blocks[lane]
        for index in range(2 if number == part == 0 else 0, self.segment):
            column = part * self.segment + index
            before = own[column - 1]
            word = words[index] if independent else before[0]
            new = _compress(before, self._reference(word, number, part, lane, index))
            own[column] = new if number == 0 else [a ^ b for a, b in zip(new, own[column])]

    def _reference(self, word, number, part, lane, index):
        other = lane if number == part == 0 else (word >> 32) % self.lanes
        area = part * self.segment if number == 0 else self.columns - self.segment
        if other == lane:
            area += index - 1
        elif index == 0:
            area -= 1
        square = (word & 0xFFFFFFFF) ** 2 >> 32
        start = 0 if number == 0 else (part + 1) * self.segment
        return self.blocks[other][(start + area - 1 - (area * square >> 32)) % self.columns]


def argon2id(password, salt, memory_kib, passes, lanes, count=32, secret=b"", associated=b""):
    """Argon2id, version 0x13. A second for a hundred KiB, so take little."""
    text = struct.pack("<6I", lanes, count, memory_kib, passes, _VERSION, _ID)
    for part in (password, salt, secret, associated):
        text += struct.pack("<I", len(part)) + part
    last = _Argon2id(passes, memory_kib, lanes).fill(hashlib.blake2b(text).digest())
    return _long_hash(last, count)
