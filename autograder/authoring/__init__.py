"""What an author does with an exercise: start it, prove it, build its notebook and release it to students.

In reading order:

new: starts an exercise with a small one that runs
verify: proves an exercise by its own answers, right and wrong
visible: measures how many costly mistakes the visible checks see
costs: says what each known mistake costs of its question
held_out: measures the diagnosis on wrong answers that are not in its bank
answers: fills answers into notebooks, as students would
build: writes nbgrader's source notebooks to build/
release: writes what students get to assignments/
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
