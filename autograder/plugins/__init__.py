"""Commands that grading does not need. Each package here is a plug-in; docs/plugins.md says how to add one.

- canvas: sends grades to Canvas.
- certificate: prints everything that a report depends on, and checks whether it comes out the same again.
- cluster: grades on the machines of a Dask cluster.
- requests: lists regrade requests, and closes them.
- similarity: finds solutions that are more alike than their task explains.
"""
