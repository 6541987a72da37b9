"""The papers' tables, made from ours, with the published numbers beside them."""
