"""Sealed images as FORMAT.md says: opened without the library, and changed by somebody who can make checksums fit."""

import random
import struct

import files
import image
from sealing import CIPHERS, PASSPHRASE, SealedTest, Xxh3, line, primitives, sealed_image
from tool_test import main

_CHACHA = "chacha20-poly1305"
_NOTE_BYTES = 512


class Opened(SealedTest):
    """A second reader comes to the same pages."""

    pages = 100

    def opened(self, data_key):
        """All pages of an image that stores them as they are."""
        header, found = self.sealed_header(), image.read(self.area)
        header.check(data_key)
        header.check_map([files.read_at(self.area, page * 4096, 4096) for page in found.map_pages])
        return b"".join(header.open_chunk(data_key, chunk.record, self.stored_bytes_of(chunk)) for chunk in found.chunks)

    def test_with_a_key_file(self):
        self.seal("--compress=none", cipher=_CHACHA)
        header = self.sealed_header()
        _, image_key = header.key_file_keys(self.raw)
        self.assertEqual(self.opened(header.data_key(image_key)), self.snap.read_bytes())

    def test_with_a_private_half(self):
        self.seal("--compress=none", "--key-file", self.pair_file, cipher=_CHACHA)
        header = self.sealed_header()
        self.assertEqual(header.slots[0].public_key, self.pair.public)
        *_, image_key = header.private_half_keys(self.pair.private)
        self.assertEqual(self.opened(header.data_key(image_key)), self.snap.read_bytes())

    def test_the_second_reader_sees_what_was_changed(self):
        """So it is the seal that shows it, and not a checksum."""
        self.seal("--compress=none", cipher=_CHACHA)
        header, (first, second) = self.sealed_header(), image.read(self.area).chunks
        data_key = header.data_key(header.key_file_keys(self.raw)[1])
        stored = self.stored_bytes_of(first)
        with self.assertRaises(primitives.NotAuthentic):
            header.open_chunk(data_key, first.record, stored[:99] + bytes([stored[99] ^ 1]) + stored[100:])
        with self.assertRaises(primitives.NotAuthentic):
            header.open_chunk(data_key, second.record, stored)
        changed = sealed_image.SealedHeader(header.data[:48] + bytes([header.data[48] ^ 1]) + header.data[49:])
        with self.assertRaises(primitives.NotAuthentic):
            changed.check(data_key)

    def test_packed_chunks_are_filled_with_sealed_zeros(self):
        """The filling of a chunk's last page is sealed with it: nobody sees how long the chunk is."""
        self.seal("--compress=lz4", cipher=_CHACHA)
        header = self.sealed_header()
        data_key = header.data_key(header.key_file_keys(self.raw)[1])
        filled = 0
        for chunk in image.read(self.area).chunks:
            stored = self.stored_bytes_of(chunk)
            plain = header.open_chunk(data_key, chunk.record, stored)
            filling = len(plain) - chunk.packed_bytes
            self.assertEqual(plain[chunk.packed_bytes:], bytes(filling))
            if filling >= 16:
                self.assertNotEqual(stored[-filling:], bytes(filling))
                filled += 1
        self.assertGreater(filled, 0)

    def test_every_way_wraps_the_same_key(self):
        for cipher in CIPHERS:
            with self.subTest(cipher=cipher):
                keys = "--key-file", self.pair_file, "--key-file", self.raw_file
                self.seal(*keys, "-P", "passphrase = y", cipher=cipher, typed=line(PASSPHRASE))
                header = self.sealed_header()
                self.assertEqual(sealed_image.CIPHERS[header.cipher], cipher)
                self.assertEqual(header.key_file_keys(self.raw)[-1], header.private_half_keys(self.pair.private)[-1])
                self.resume("--discard")

    def test_what_a_passphrase_costs(self):
        """Bounded, so that a small machine can pay it when it resumes; and never little."""
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        memory_kib, passes, lanes = self.sealed_header().slots[0].cost
        self.assertLessEqual(memory_kib, 64 * 1024)
        self.assertGreaterEqual(memory_kib * passes, 3 * 8 * 1024)
        self.assertGreaterEqual(passes, 3)
        self.assertIn(lanes, range(1, 5))

    def test_fields_without_a_use_are_zero(self):
        self.seal("--compress=lz4", "--key-file", self.pair_file, "--key-file", self.raw_file, "-P", "passphrase = y",
                  typed=line(PASSPHRASE))
        sealed = self.sealed_header()
        header = sealed.data
        self.assertEqual(struct.unpack_from("<II", header, 12), (1, 0))
        unused = header[538:544] + header[sealed_image.SLOTS_AT + 256 * 3:3576]
        self.assertEqual(unused, bytes(len(unused)))
        self.assertEqual(sorted(sealed.ways), ["key file", "key pair", "passphrase"])
        for slot, way in zip(sealed.slots, sealed.ways):
            with self.subTest(way=way):
                self.assertEqual(slot.data[1:4] + slot.data[44:48] + slot.data[172:176] + slot.data[224:], bytes(3 + 4 + 4 + 32))
                self.assertEqual(slot.cost == (0, 0, 0), way == "key file")
                self.assertEqual(slot.data[128:] == bytes(128), way != "key pair")
                self.assertNotEqual(slot.ephemeral_public, bytes(32))
        self.assertEqual(len({slot.ephemeral_public for slot in sealed.slots}), 3)
        self.resume("--discard")
        self.s2disk("--compress=lz4")
        plain = files.read_at(self.area, image.read(self.area).header_at, image.HEADER_BYTES)
        self.assertEqual(plain[12:20] + plain[536:3576], bytes(8 + 3040))


class Changed(SealedTest):
    """Whoever can write to the disk, and makes every checksum fit, gets no page past the reader."""

    pages = 200

    def setUp(self):
        super().setUp()
        self.xxh3 = Xxh3()
        self.seal_twice_openable()
        self.found = image.read(self.area)
        self.sealed = self.area.read_bytes()

    def seal_twice_openable(self):
        """Two ways, neither of which takes time."""
        self.seal("--compress=lz4", "--key-file", self.pair_file, "--key-file", self.raw_file)

    def put(self, at, data):
        files.write_at(self.area, at, data)

    def put_header(self, header):
        self.put(self.found.header_at, self.xxh3.fit(header, 3576))

    def image_header(self):
        return bytearray(self.sealed[self.found.header_at:self.found.header_at + image.HEADER_BYTES])

    def put_map_page(self, place, page):
        self.put(place * 4096, self.xxh3.fit(page, 56))

    def map_page(self, place):
        return bytearray(self.sealed[place * 4096:(place + 1) * 4096])

    def check(self, *patterns):
        """No reader believes what is on the disk now; then it is as it was again."""
        for action in (("--to", self.out), ("--verify",)):
            run = self.resume(*action, "--key-file", self.raw_file, "--progress", "none", expect=3)
            self.assertEqual(list(self.directory.glob("out*")), [], "a part of OUT was left")
            for pattern in patterns:
                self.assertRegex(run.stderr, pattern)
        self.area.write_bytes(self.sealed)

    def test_it_is_sound_as_it_is(self):
        """And the checksums that are made here are those of the tools."""
        self.open()
        self.put_header(self.image_header())
        for place in self.found.map_pages:
            self.put_map_page(place, self.map_page(place))
        self.assertEqual(self.area.read_bytes(), self.sealed)

    def test_fields_of_the_header(self):
        """Among them those that no reader depends on: the report is to be believed, too."""
        for name, at in (("time", 48), ("level", 100), ("early writeout", 104), ("threads", 108), ("size cap", 112),
                         ("digest", 120), ("write figures", 136), ("original tail", 160), ("uuid", 192), ("RAM", 216),
                         ("host", 312), ("writer", 376), ("map digest", 544), ("header tag", 576)):
            with self.subTest(field=name):
                header = self.image_header()
                header[at] ^= 0x21
                self.put_header(header)
                self.check()

    def test_every_part_of_every_slot(self):
        """A byte of each field; the other slot still opens, so it is the header's tag that has to see it."""
        for slot in range(2):
            for within in (4, 8, 16, 31, 32, 48, 79, 80, 95, 96, 127, 128, 159, 160, 176, 207, 208, 223):
                with self.subTest(slot=slot, within=within):
                    header = self.image_header()
                    header[sealed_image.SLOTS_AT + 256 * slot + within] ^= 1
                    self.put_header(header)
                    self.check()

    def test_a_cost_beyond_all_bounds(self):
        """Refused before it is paid."""
        number = self.sealed_header().ways.index("key pair")
        for cost in ((7, 3, 1), (1 << 20, 3, 1), (0xFFFFFFFF, 0xFFFFFFFF, 4), (8, 65, 1), (8, 0, 1), (8, 1, 0), (64, 1, 5),
                     (262144, 64, 4)):
            with self.subTest(cost=cost):
                header = self.image_header()
                struct.pack_into("<3I", header, sealed_image.SLOTS_AT + 256 * number + 4, *cost)
                self.put_header(header)
                self.check("header")

    def test_ways_that_do_not_add_up(self):
        first, second = (sealed_image.SLOTS_AT + 256 * slot for slot in range(2))
        for name, change in (
            ("no way", {537: bytes([0])}),
            ("one way more", {537: bytes([3])}),
            ("nine ways", {537: bytes([9])}),
            ("an unknown one", {first: bytes([4])}),
            ("a gap", {first: bytes(256)}),
            ("the second is gone", {537: bytes([1]), second: bytes(256)}),
            ("the first in the second's place", {537: bytes([1]), first: self.image_header()[second:second + 256],
                                                 second: bytes(256)}),
            ("twice the same", {second: self.image_header()[first:first + 256]}),
            ("an unknown cipher", {536: bytes([4])}),
            ("no cipher", {536: bytes([0])}),
            ("another cipher", {536: bytes([3])}),
            ("reserved", {538: b"\1"}),
            ("reserved behind", {3575: b"\1"}),
        ):
            with self.subTest(name=name):
                header = self.image_header()
                for at, data in change.items():
                    header[at:at + len(data)] = data
                self.put_header(header)
                self.check()

    def test_a_sealed_image_passed_off_as_a_plain_one(self):
        header = self.image_header()
        header[12] = 0
        self.put_header(header)
        self.check()
        header[536:3576] = bytes(3040)
        self.put_header(header)
        self.check()

    def test_bytes_of_the_map(self):
        draw = random.Random(5)
        for place in self.found.map_pages:
            used = struct.unpack_from("<I", self.map_page(place), 40)[0]
            for at in (8, 24, 32, 40, *sorted(draw.sample(range(64, 64 + used), 40))):
                with self.subTest(map_page=place, at=at):
                    page = self.map_page(place)
                    page[at] ^= 1 << draw.randrange(8)
                    self.put_map_page(place, page)
                    self.check()

    def test_chunks_exchanged_in_the_map(self):
        """Each extent leads to the other chunk; the lengths are the same, and the checksum fits."""
        pairs = [(one, other) for one in self.found.chunks for other in self.found.chunks
                 if one.number < other.number and one.stored_pages == other.stored_pages]
        if not pairs:
            self.make_area(self.pages + 100)
            self.seal("--compress=none")
            self.found, self.sealed = image.read(self.area), self.area.read_bytes()
            pairs = [self.found.chunks[:2]]
        one, other = pairs[0]
        self.assertEqual((len(one.extents), len(other.extents)), (1, 1))
        place = one.record_at // 4096
        self.assertEqual(place, other.record_at // 4096)
        page = self.map_page(place)
        for chunk, target in ((one, other), (other, one)):
            at = target.record_at % 4096 + image.CHUNK_BYTES
            struct.pack_into("<Q", page, at, chunk.extents[0][0] | chunk.extents[0][1] << 44)
        self.put_map_page(place, page)
        self.check("swap map.* is not the one that the image was sealed with")

    def test_chunks_exchanged_on_the_disk(self):
        one, other = self.found.chunks[:2]
        for chunk, source in ((one, other), (other, one)):
            data = (self.sealed[source.extents[0][0] * 4096:])[:chunk.stored_pages * 4096]
            self.put(chunk.extents[0][0] * 4096, data)
        self.check(r"chunk [01] ")

    def test_a_bit_of_every_chunk(self):
        for chunk in self.found.chunks:
            start, count = chunk.extents[0][0] * 4096, chunk.extents[0][1] * 4096
            for at in (start, start + count // 2, start + count - 1):
                with self.subTest(chunk=chunk.number, at=at - start):
                    files.flip_byte(self.area, at)
                    last = chunk.first_page + chunk.pages - 1
                    self.check(rf"chunk {chunk.number} \(pages {chunk.first_page} to {last} ", rf"at byte {start}\b")

    def test_parts_of_an_older_image_of_the_same_snapshot_and_key(self):
        """Header, map and chunks of two images do not go together."""
        older = self.sealed
        self.resume("--discard")
        self.seal_twice_openable()
        self.sealed = self.area.read_bytes()
        self.assertEqual(image.read(self.area).map_pages, self.found.map_pages, "the test wants the same places")

        def put_older(at, count):
            self.put(at, older[at:at + count])

        for name, spans in (
            ("a chunk", [(self.found.chunks[1].extents[0][0] * 4096, 4096)]),
            ("the map", [(place * 4096, 4096) for place in self.found.map_pages]),
            ("the header", [(self.found.header_at, image.HEADER_BYTES)]),
            ("header and map", [(self.found.header_at, image.HEADER_BYTES)]
             + [(place * 4096, 4096) for place in self.found.map_pages]),
            ("all slots", [(self.found.header_at + sealed_image.SLOTS_AT, 2048)]),
        ):
            with self.subTest(name=name):
                for at, count in spans:
                    put_older(at, count)
                if name == "all slots":
                    self.put_header(files.read_at(self.area, self.found.header_at, image.HEADER_BYTES))
                self.check()

    def test_the_note_of_resume_is_harmless(self):
        """It is not sealed: it has to be readable and writable without a key. What it says withholds the image at most."""
        note = bytearray(_NOTE_BYTES)
        note[:24] = b"DMRESUME" + self.image_header()[32:48]
        struct.pack_into("<II", note, 24, 7, 0)
        self.put(self.found.header_at + image.HEADER_BYTES, self.xxh3.fit(note, 504))
        self.open()
        self.assertEqual(self.resume("--status", "--report", "json").json()["image"]["attempts"], 7)
        self.put(self.found.header_at + image.HEADER_BYTES, b"\xff" * _NOTE_BYTES)
        self.open()


if __name__ == "__main__":
    main()
