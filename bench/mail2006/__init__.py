"""What bench/test-2006 measures, and how it is put into RESULTS.md."""
