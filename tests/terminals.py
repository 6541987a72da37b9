"""What a program draws on a terminal."""

import os


def read_terminal(side: int) -> str:
    """All that is drawn until the terminal's other side is closed; closes this one."""
    drawn = b""
    try:
        while some := os.read(side, 4096):
            drawn += some
    except OSError:  # the other side is closed
        pass
    os.close(side)
    return drawn.decode()
