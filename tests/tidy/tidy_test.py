#!/usr/bin/env python3
"""The tidy test has teeth: each rule is broken once in a tree of its own, and must be found."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TIDY = Path(__file__).with_name("tidy.py")

LISTS = {
    "base": "dormouse_module(base SOURCES a.cc)",
    "format": "dormouse_module(format SOURCES a.cc DEPENDS base)",
    "codec": "dormouse_module(codec SOURCES a.cc DEPENDS base LIBRARIES x::y)",
    "io": "dormouse_module(io SOURCES a.cc DEPENDS base)",
    "swap": "dormouse_module(swap SOURCES a.cc\n  DEPENDS base format)",
}


class TidyTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = Path(self.directory.name)
        for module, text in LISTS.items():
            self.put(f"lib/{module}/CMakeLists.txt", text)
        self.put("include/dormouse/error.h", "#pragma once\n")
        self.put("lib/swap/map.cc", '#include "dormouse/error.h"\n#include "format/page.h"\n#include "base/x.h"\n')

    def tearDown(self):
        self.directory.cleanup()

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def expect(self, check, finding):
        result = subprocess.run([sys.executable, TIDY, check, self.root], capture_output=True, text=True)
        if finding is None:
            self.assertEqual((result.returncode, result.stdout), (0, ""))
        else:
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(finding, result.stdout)

    def test_a_clean_tree_passes(self):
        for check in ("layers", "style", "words", "headers"):
            self.expect(check, None)

    def test_an_include_that_the_table_forbids(self):
        self.put("lib/swap/map.cc", '#include "io/posix_block_device.h"\n')
        self.expect("layers", 'lib/swap/map.cc:1: module swap may not include "io/posix_block_device.h"')

    def test_a_public_header_that_shows_the_inside(self):
        self.put("include/dormouse/x.h", '#pragma once\n\n#include "base/little_endian.h"\n')
        self.expect("layers", "include/dormouse/x.h:3")

    def test_a_dependency_that_points_up(self):
        self.put("lib/format/CMakeLists.txt", "dormouse_module(format SOURCES a.cc DEPENDS base swap)")
        self.expect("layers", "depends on swap, which is not below it")

    def test_neighbours_of_layer_one(self):
        self.put("lib/io/CMakeLists.txt", "dormouse_module(io SOURCES a.cc DEPENDS base codec)")
        self.expect("layers", "depends on codec")

    def test_a_header_without_a_guard(self):
        self.put("lib/io/x.h", "int f();\n")
        self.expect("style", "lib/io/x.h:1: no #pragma once")

    def test_memory_without_an_owner(self):
        self.put("lib/io/x.cc", "int* f() {\n  return new int;\n}\n")
        self.expect("style", "lib/io/x.cc:2: new")
        self.put("lib/io/x.cc", "void f(int* p) {\n  delete p;\n}\n")
        self.expect("style", "lib/io/x.cc:2: delete")

    def test_what_only_looks_like_it(self):
        self.put("lib/io/x.cc", "// a new one; delete it\nX(const X&) = delete;\nauto s = \"new\";\n"
                                "std::unique_ptr<X> x(new X());\n#include <new>\n")
        self.expect("style", None)

    def test_a_file_that_grew(self):
        self.put("lib/io/x.cc", "\n" * 401)
        self.expect("style", "longer than 400 lines")

    def test_a_path_of_one_machine(self):
        self.put("README.md", "see /" + "home/someone/x\n")
        self.expect("words", "README.md:1")

    def test_a_header_that_leans_on_others(self):
        self.put("lib/io/x.h", "#pragma once\nstd::size_t f();\n")
        self.expect("headers", "lib/io/x.h:1: does not compile alone")


if __name__ == "__main__":
    unittest.main()
