"""The command `cluster`: grades like `grade`, on other machines."""

from typing import Any

import click

from autograder.cli import options
from autograder.cli.grade import class_options, grade_class


@click.command()
@click.argument("address")
@class_options
def cluster(
    course: "options.Course", exercises: "list[options.Exercise]", address: str, unsafe: bool, **choice: Any
) -> None:
    """Grade what lies in submitted/ on the workers of the Dask scheduler at ADDRESS.

    All options are those of `grade`.
    """
    from autograder.plugins.cluster.cluster import Cluster

    grade_class(course, exercises, lambda _: Cluster(course, address, unsafe=unsafe), unsafe=unsafe, **choice)
