"""The header of a sealed image, and the keys that open it. FORMAT.md has the words."""

import hashlib
import struct
from dataclasses import dataclass

from opener import primitives

HEADER_BYTES = 3584
SLOTS_AT = 592
SLOT_BYTES = 256
SLOTS = 8
SEALED = 1  # bit of features_required

CIPHERS = {1: "aes-256-gcm", 2: "aes-256-ocb", 3: "chacha20-poly1305"}
WAYS = {1: "passphrase", 2: "key pair", 3: "key file"}

_FEATURES_AT = 12
_IMAGE_ID_AT = 32
_CIPHER_AT = 536
_MAP_DIGEST_AT = 544
_HEADER_TAG_AT = 576
_CHECKSUM_AT = 3576
_CHUNK, _HEADER = 0, 1  # what a nonce is used for


class NoWay(ValueError):
    """No slot is opened by the key given."""


def _blanked(data, *spans):
    data = bytearray(data)
    for at, count in spans:
        data[at : at + count] = bytes(count)
    return bytes(data)


def _nonce(use, number):
    return struct.pack("<IQ", use, number)


@dataclass
class Slot:
    """A way to open the image."""

    data: bytes

    @property
    def way(self):
        """A key of WAYS; 0 if the slot is empty."""
        return self.data[0]

    @property
    def cost(self):
        """Memory in KiB, passes, lanes."""
        return struct.unpack_from("<3I", self.data, 4)

    @property
    def salt(self):
        """Sixteen bytes."""
        return self.data[16:32]

    @property
    def ephemeral_public(self):
        """Made for this slot and image."""
        return self.data[96:128]

    @property
    def public_key(self):
        """Of a key pair: that of the key file."""
        return self.data[128:160]


class SealedHeader:
    """The first 3584 bytes of a header page."""

    def __init__(self, data):
        self.data = bytes(data[:HEADER_BYTES])
        if self.data[:8] != b"DORMOUSE":
            raise ValueError("no image header")
        (features,) = struct.unpack_from("<I", self.data, _FEATURES_AT)
        if not features & SEALED:
            raise ValueError("the image is not sealed")
        self.cipher = self.data[_CIPHER_AT]
        self.image_id = self.data[_IMAGE_ID_AT : _IMAGE_ID_AT + 16]
        self.map_digest = self.data[_MAP_DIGEST_AT : _MAP_DIGEST_AT + 32]
        slots = (
            Slot(self.data[at : at + SLOT_BYTES])
            for at in range(SLOTS_AT, SLOTS_AT + SLOTS * SLOT_BYTES, SLOT_BYTES)
        )
        self.slots = [slot for slot in slots if slot.way]
        if self.data[_CIPHER_AT + 1] != len(self.slots):
            raise ValueError("the header counts other slots than it holds")

    @property
    def ways(self):
        """The names of the ways, in their order."""
        return [WAYS[slot.way] for slot in self.slots]

    # ---- from a secret to the keys

    def key_file_keys(self, raw):
        """(key of the slot, image key) for 32 raw bytes."""
        for slot in self._slots_of("key file"):
            _, key = _slot_keys(slot, primitives.hkdf(raw, slot.salt, b"dormouse key file"))
            if image_key := self._unwrapped(slot, key):
                return key, image_key
        raise NoWay("no slot is opened by the key file")

    def private_half_keys(self, private):
        """(shared secret, key of the slot, image key) for the private half of a key pair."""
        for slot in self._slots_of("key pair"):
            shared, key = _slot_keys(slot, private)
            if image_key := self._unwrapped(slot, key):
                return shared, key, image_key
        raise NoWay("no slot is opened by the private half")

    def _slots_of(self, way):
        return (slot for slot in self.slots if WAYS[slot.way] == way)

    def _unwrapped(self, slot, key):
        associated = (
            b"dormouse image key" + self.image_id + bytes([self.cipher]) + _blanked(slot.data, (48, 48))
        )
        wrapped, tag = slot.data[48:80], slot.data[80:96]
        try:
            return primitives.chacha_open(key, slot.data[32:44], associated, wrapped, tag)
        except primitives.NotAuthentic:
            return None

    def data_key(self, image_key):
        """What chunks and header are sealed with."""
        return primitives.hkdf(image_key, self.image_id, b"dormouse image data" + bytes([self.cipher]))

    # ---- what the data key opens, where the cipher is ChaCha20-Poly1305

    def check(self, data_key):
        """Raises NotAuthentic if the header was changed."""
        associated = _blanked(self.data, (_HEADER_TAG_AT, 16), (_CHECKSUM_AT, 8))
        tag = self.data[_HEADER_TAG_AT : _HEADER_TAG_AT + 16]
        primitives.chacha_open(data_key, _nonce(_HEADER, 0), associated, b"", tag)

    def open_chunk(self, data_key, record, stored):
        """The plain stored pages. `record` is the header of the chunk, 48 bytes."""
        associated = self.image_id + _blanked(record[:32], (2, 2))
        (number,) = struct.unpack_from("<Q", record, 8)
        return primitives.chacha_open(data_key, _nonce(_CHUNK, number), associated, stored, record[32:48])

    def check_map(self, pages):
        """Raises NotAuthentic if `pages`, the map as it lies on the device, was changed."""
        if hashlib.sha256(b"".join(pages)).digest() != self.map_digest:
            raise primitives.NotAuthentic("the map is not the one that was sealed")


def _slot_keys(slot, private):
    """(shared secret, key of the slot) for the private half that opens it."""
    shared = primitives.x25519(private, slot.ephemeral_public)
    salt = slot.ephemeral_public + primitives.x25519(private)
    return shared, primitives.hkdf(shared, salt, b"dormouse slot key")
