"""The command `cluster`: grades like `grade`, on the machines of a Dask cluster."""

from typing import Any

import click

from autograder.cli.grade import grade


@click.command(
    params=[click.Argument(["address"]), *(option for option in grade.params if option.name != "jobs")]
)
def cluster(address: str, unsafe: bool, **choice: Any) -> None:
    """Grade on a Dask cluster.

    Like `grade`, but the workers of the scheduler at ADDRESS run the submissions.
    """
    from autograder.plugins.cluster.executor import Cluster

    assert grade.callback
    grade.callback(executor_of=lambda it: Cluster(it, address, unsafe=unsafe), unsafe=unsafe, **choice)
