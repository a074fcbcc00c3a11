"""One module for each table: what it shows, how often it is measured, and how."""
