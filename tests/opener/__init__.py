"""Opens sealed images in plain Python, from FORMAT.md alone: nothing here knows the library."""
