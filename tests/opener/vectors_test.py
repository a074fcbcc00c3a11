"""The primitives against the vectors of their RFCs: what opens images here is not made to fit them."""

import unittest

from opener import primitives


class Vectors(unittest.TestCase):
    """One published vector or more of each."""

    def test_hkdf(self):
        """RFC 5869, A.1 and A.3."""
        key = bytes([0x0B] * 22)
        out = primitives.hkdf(key, bytes(range(13)), bytes(range(0xF0, 0xFA)), 42)
        self.assertEqual(out.hex(), "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        out = primitives.hkdf(key, b"", b"", 42)
        self.assertEqual(out.hex(), "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")

    def test_chacha20_poly1305(self):
        """RFC 8439, 2.8.2."""
        plain = (b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
                 b"sunscreen would be it.")
        associated = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
        key, nonce = bytes(range(0x80, 0xA0)), bytes.fromhex("070000004041424344454647")
        sealed, tag = primitives.chacha_seal(key, nonce, associated, plain)
        self.assertEqual(sealed[:16].hex(), "d31a8d34648e60db7b86afbc53ef7ec2")
        self.assertEqual(sealed[-18:].hex(), "3ff4def08e4b7a9de576d26586cec64b6116")
        self.assertEqual(tag.hex(), "1ae10b594f09e26a7e902ecbd0600691")
        self.assertEqual(primitives.chacha_open(key, nonce, associated, sealed, tag), plain)
        for bad in (
            (nonce, associated, sealed, bytes([tag[0] ^ 1]) + tag[1:]),
            (nonce, associated, bytes([sealed[0] ^ 1]) + sealed[1:], tag),
            (nonce, associated[:-1], sealed, tag),
            (nonce[::-1], associated, sealed, tag),
        ):
            with self.assertRaises(primitives.NotAuthentic):
                primitives.chacha_open(key, *bad)

    def test_x25519(self):
        """RFC 7748, 5.2 and 6.1."""
        scalar = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
        point = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
        self.assertEqual(primitives.x25519(scalar, point).hex(),
                         "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
        nine = (9).to_bytes(32, "little")
        once = primitives.x25519(nine, nine)
        self.assertEqual(once.hex(), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
        bob = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        public = primitives.x25519(bob)
        self.assertEqual(public.hex(), "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        self.assertEqual(primitives.x25519(once, public), primitives.x25519(bob, primitives.x25519(once)))

    def test_argon2id(self):
        """RFC 9106, 5.3."""
        tag = primitives.argon2id(bytes([1] * 32), bytes([2] * 16), memory_kib=32, passes=3, lanes=4,
                                  secret=bytes([3] * 8), associated=bytes([4] * 12))
        self.assertEqual(tag.hex(), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")

    def test_long_texts_are_as_many_short_ones(self):
        """Blocks of the key stream are made side by side."""
        key, nonce, text = bytes(range(32)), bytes(12), bytes(4096)
        sealed, _ = primitives.chacha_seal(key, nonce, b"", text)
        for at in range(0, 4096, 64):
            short = primitives._key_stream(key, nonce, at // 64 + 1, 1)
            self.assertEqual(sealed[at : at + 64], short, at)


if __name__ == "__main__":
    unittest.main()
