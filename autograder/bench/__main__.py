"""Adds the command `bench` to the others and runs it: `python -m autograder.bench EXERCISE`."""

import sys

from autograder.bench.command import bench
from autograder.cli import main

__all__ = ["main"]
main.add_command(bench)

if __name__ == "__main__":
    main(["bench", *sys.argv[1:]], prog_name="python -m autograder.bench")
