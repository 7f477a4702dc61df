"""How a command's process ends: with its exit code, all that was to be written, and nothing else."""

import subprocess
import sys

COMMAND = """
import atexit, sys
import click
from autograder.cli.group import Commands

class Kept:
    def __del__(self):
        print("taken apart")

kept = Kept()

@click.group(cls=Commands)
def main(): pass

@main.command()
def quick():
    atexit.register(print, "written at the exit")
    click.echo("done")
    sys.exit(3)

main(["quick"])
"""


def test_a_process_ends_with_its_command_and_takes_nothing_apart() -> None:
    done = subprocess.run([sys.executable, "-c", COMMAND], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("done\nwritten at the exit\n", "", 3)
