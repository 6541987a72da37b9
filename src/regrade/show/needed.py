"""Imported before matplotlib, so that a message says what to install where it is missing."""

from regrade.extras import need

need("matplotlib", "figures")
