"""What Dask workers of tests are forked with: our code, and a nursery from which their zygotes come.

multiprocessing's fork server imports this module before it forks anything.
"""

from autograder.grading import marking
from autograder.plugins.cluster import dask_worker as dask_worker
from autograder.sandbox import launch
from autograder.tests.nursery import Nursery
from autograder.tests.warm import SUBPROCESS, WarmPopen

WarmPopen.nursery = Nursery()
WarmPopen.nursery.is_ready()
launch.launch_zygote = WarmPopen.nursery.launch
setattr(marking, "subprocess", SUBPROCESS)  # noqa: B010 - a module that is imported there is no export
