"""Explains a wrong answer by repairing it: finds the smallest edit after which all hidden tests pass.

A test sends requests, such as calls, to the worker that runs the code, and the worker sends replies. The
reference is the author's solution. A step is one operation on a value, such as a transpose.

In reading order:

- words: describes a repair in words.
- repairs: derives from a repair what is wrong in a student's code: its place, name and kind.
- search: looks for a repair. Its budget counts operations, not seconds, so a busy machine does not matter.
- distances: computes how far a failed run is from the reference's run, and what a test costs.
- candidates: edited code, with the cached replies to the requests of tests.
- same: compares two values, or the replies in two runs of a test.
- code: the statements that a question depends on, and edited copies of them.
- edits: the edits that are tried, the likeliest first.
- step_edits: edits of steps and of whole statements.
- fragments: collects values, steps and statements of right answers, and builds edits from them.
- tables: rules for general edits, and for mutants: right code with a small mistake.
- mutations: makes the mutants that cannot be written as rules.
- places: names the step that a repair changes, if the catalogue has no name for the mistake.
- misconceptions: the author's catalogue of misconceptions.
- known: reads the wrong answers that the author has written, as code or as edits of the solution.
- known_results: recognizes a mistake if the student's code gives the same results as a known wrong answer.
- wrong: makes more known wrong answers, by applying the catalogue's rules to right answers.
- patterns: finds code that matches a pattern, and rewrites it.
- trees: rewrites syntax trees. The original trees stay unchanged.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
