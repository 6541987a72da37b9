"""A job's command, run by a process that the fork server has forked.

Given to Snakemake as the prefix of what it runs, so it starts for each job: it imports as little
as there is to import.

    python -IS forked.py SOCKET COMMAND…

It passes on the job's folder, environment and streams, waits, and ends with the job's status.  A
command that the server cannot serve runs as if this were not there.
"""

import json
import os
import signal
import socket
import sys

ALONE = b"alone"
"""The answer to a job that has to have a process of its own."""


def main(address: str, *command: str) -> None:
    """Run a command."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who interrupts wants no traceback of this
    ours = len(command) == 2 and command[0] == sys.executable
    status = run_by_server(address, command[1]) if ours else None
    if status is None:
        os.execvp(command[0], command)
    sys.exit(status)


def run_by_server(address: str, script: str) -> int | None:
    """The status of a script that the server's process has run; ``None`` where it does not."""
    folder = os.getcwd()  # noqa: PTH109  pathlib takes as long to import as all of this
    request = {"script": script, "folder": folder, "environment": dict(os.environ)}
    text = json.dumps(request).encode()  # names that are no UTF-8 stay, as surrogates
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(address)
            socket.send_fds(server, [len(text).to_bytes(8, "big")], [0, 1, 2])
            server.sendall(text)
        except OSError:  # it is no longer there
            return None
        answer = server.recv(16)
    if answer == ALONE:
        return None
    # a process that was killed, as where memory ran out, has not answered
    return int(answer) if answer else 128 + signal.SIGKILL


if __name__ == "__main__":
    main(*sys.argv[1:])
