"""The names that authors of hidden tests import, and the suites of these tests.

An author needs only imports such as `from autograder.testing import question, expect_close`.

- expectations: `expect_equal` and similar functions, whose messages never contain the right values.
- tensors, arrays, tables, figures: expectations for values of torch, numpy, pandas and matplotlib.
- student: `Student` and `Remote`, with which a test calls the submission's functions and classes.
- functions: functions that a hidden test passes as arguments. They stay in the grader's process; the
  submission's code calls them through the worker's channel.
- bytecode: compiles code that is sent to a worker, without its source.
- exchange: a test's requests, the backends that reply (a worker or trusted code), and a submission's errors.
- inputs: the seeds of hidden inputs, and of disclosed inputs, which students may see.
- suite: the `question` mark, and an exercise's hidden tests, collected once and run on many submissions.
- pytest_internals: collects and runs tests. It is the only module that uses private names of pytest.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
