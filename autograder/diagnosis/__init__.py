"""Says what is wrong in an answer by repairing it: the smallest edit after which all hidden tests pass.

In reading order:

- words: what is said of a repair.
- repairs: what is wrong in a student's code, by the repair that makes it right.
- search: looks for that repair, within a budget that a busy machine does not change.
- code: the statements on which a question rests, and copies of them with edits.
- edits: the edits that are tried, the likeliest first.
- statements: those that change statements, their order, or names of layers.
- making: makes edits, each with its size.
- pieces: the values and steps of right answers, which are tried in a student's code.
- mutations: general changes to one place; they also make the mutants by which suites are measured.
- misconceptions: the author's catalogue of what people get wrong.
- wrong: the wrong answers that its rules make of right ones.
- patterns: finds places in code by pattern and rewrites them.
- fitting: whether code is what a pattern says.
- vocabulary: the words in code, by which it is seen that a pattern cannot be met.
- inlining: writes code with fewer names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
