"""The studies: a folder each, with the tables and figures that it shows."""
