"""``python -m regrade`` is the command ``regrade``."""

from regrade.command.app import main

if __name__ == "__main__":
    main()
