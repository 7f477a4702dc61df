"""The names that authors of hidden tests import, and the suites of these tests.

- expectations: `expect_equal` and similar functions.
- tensors, arrays, tables, figures: expectations for torch, numpy, pandas and matplotlib.
- student: `Student` and `Remote`, with which a test calls the submission's functions and classes.
- functions: functions that a hidden test passes to the submission's code as arguments.
- bytecode: compiles code, so that it can be sent to a worker without its source.
- exchange: a test's requests, and the backends that reply: a worker, or the solution in this process.
- inputs: the seeds of hidden inputs, and of disclosed inputs, which students may see.
- suite: the pytest mark `question`, and an exercise's hidden tests.
- pytest_internals: collects and runs tests, with private names of pytest.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
