"""What authors of hidden tests import, and the suites that these tests make up.

An author writes `from autograder.testing import question, expect_close`; nothing else is needed.

- expectations: `expect_close` and its like, with messages that never give the answer away.
- student: `Student` and `Remote`, by which a test calls the submission's functions and classes.
- exchange: the requests and answers behind each such call, and who answers them.
- student_error: what a test meets where the submission raises or lacks a name.
- hidden_test: the `question` mark, and what a suite's author must write for each test.
- suite: an exercise's hidden tests, collected once and run against many submissions.
- pytest_internals: the only module that uses pytest's private names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
