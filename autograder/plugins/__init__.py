"""Commands that grading does not need. Each package here is a plug-in, and the rest works without it.

pyproject.toml registers them as entry points of the group `autograder.commands`; docs/plugins.md says how.

- canvas: sends grades to Canvas.
- certificate: prints everything that a report depends on, and checks whether it comes out the same again.
- cluster: grades on the machines of a Dask cluster.
- requests: lists regrade requests, and closes them.
- similarity: finds solutions that are more alike than their task explains.
"""
