"""Explains a wrong answer by repairing it: finds the smallest edit after which all hidden tests pass.

A test sends requests, such as calls, to the worker that runs the code, and the worker sends replies. The
reference is the author's solution. A step is one operation on a value, such as a transpose. A mutant is right
code with a small mistake.

In reading order:

- words: describes a repair in words.
- repairs: derives from a repair what is wrong in a student's code: its place, name and kind.
- search: looks for a repair. Its budget is estimated time, so a busy machine gets the same results.
- distances: computes how far a failed run is from the reference's run, and how much budget a test uses.
- candidates: edited code, with the cached replies to the requests of tests.
- same: compares two values, or the replies in two runs of a test.
- code: all statements on which a student's answer depends, and edited copies of them.
- edits: the edits that are tried, the likeliest first.
- step_edits: edits of steps and of whole statements.
- fragments: collects values, steps and statements of right answers, and builds edits from them.
- tables: rules for general edits and for mutants.
- mutations: makes the mutants that cannot be written as rules.
- places: names the step that a repair changes, if no misconception describes the mistake.
- misconceptions: the author's catalogue of misconceptions, whose rules put mistakes into right answers.
- known: reads the author's wrong answers, which are written as code or as edits of the solution.
- known_results: recognizes a mistake if the student's code gives the same results as a known wrong answer.
- wrong: makes more wrong answers, by the catalogue's rules.
- patterns: finds code that matches a pattern, and rewrites it.
- trees: rewrites syntax trees. The original trees stay unchanged.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
