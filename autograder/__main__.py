"""Lets `python -m autograder` do what the `autograder` command does."""

from autograder.cli.group import main

if __name__ == "__main__":
    main()
