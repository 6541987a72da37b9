"""Every combination of choices: what holds in all, and which choice decides."""
