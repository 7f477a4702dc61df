"""What authors of hidden tests import, and the suites that these tests make up.

An author writes `from autograder.testing import question, expect_close`; nothing else is needed.

- expectations: `expect_equal` and its like, with messages that never give the answer away.
- tensors, arrays, tables, figures: what is expected of the values of torch, numpy, pandas and matplotlib.
- student: `Student` and `Remote`, by which a test calls the submission's functions and classes.
- functions: functions that a hidden test hands over; they stay here, and the submission's code calls them.
- bytecode: code as it is sent to a worker, compiled and without source.
- exchange: the requests and answers behind each such call, who answers them, and the errors they may report.
- inputs: which random numbers a submission's tests draw, and which may be shown.
- suite: the `question` mark, and an exercise's hidden tests, collected once and run on many submissions.
- pytest_internals: collects tests and runs them; the only module that uses pytest's private names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
