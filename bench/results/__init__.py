"""What bench/run measures, and how it is put into RESULTS.md."""
