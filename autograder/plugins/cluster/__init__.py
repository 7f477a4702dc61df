"""Grades a class on the machines of a Dask cluster.

- command: the command `cluster`.
- cluster: the executor that sends submissions there.
- dask_worker: what each of those machines runs.
"""
