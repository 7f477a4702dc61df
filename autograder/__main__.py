"""Lets `python -m autograder` do what the `autograder` command does."""

from autograder.cli import main

if __name__ == "__main__":
    main()
