"""Explains a wrong answer by repairing it: finds the smallest edit after which all hidden tests pass.

In reading order:

- words: describes a repair in words.
- repairs: derives from a repair what is wrong in a student's code: its place, name and kind.
- search: looks for a repair, within a budget of counted operations that is the same on a busy machine.
- distances: how far a failed run is from the reference's, and what a test costs.
- candidates: edited code with its cached answers to the requests of tests.
- same: compares two values, or the answers of two runs.
- code: the statements that a question depends on, and edited copies of them.
- edits: the edits that are tried, the likeliest first.
- step_edits: edits of steps and of whole statements.
- fragments: collects the values and steps of right answers, and builds edits from them.
- tables: general edits and mutants, as tables of rules.
- mutations: mutants that cannot be written as rules.
- places: the step that a repair changes, for mistakes without a name.
- misconceptions: the author's catalogue of misconceptions.
- known: the wrong answers that an exercise's author declares, as code or as edits of the solution.
- known_results: recognizes a mistake by results that equal those of a known wrong answer.
- wrong: the wrong answers that the catalogue's rules make from right ones.
- patterns: finds code that matches a pattern, and rewrites it.
- trees: rewrites syntax trees. The original trees stay unchanged.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
