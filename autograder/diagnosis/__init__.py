"""Explains a wrong answer by repairing it: finds the smallest edit after which all hidden tests pass.

In reading order:

- words: describes a repair in words.
- repairs: what is wrong in a student's code, by the repair that makes it right.
- search: looks for that repair, within a budget that a busy machine does not change.
- same: whether two values, or two answers, are the same.
- code: the statements on which a question rests, and copies of them with edits.
- edits: the edits that are tried, the likeliest first.
- pieces: the values and steps of right answers, and how an edit is made of them.
- tables: general edits and mutants, as tables of rules.
- mutations: mutants that no rule can say.
- places: the step that a repair changes, for mistakes without a name.
- misconceptions: the author's catalogue of what people get wrong.
- known: the wrong answers that an exercise's author declares.
- wrong: the wrong answers that its rules make of right ones.
- known: the wrong answers that the author knows, some written as edits of the solution.
- patterns: finds places in code by pattern and rewrites them.
- trees: syntax trees, which are rewritten and never changed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
