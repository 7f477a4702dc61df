"""What grading concludes about a submission, and how it becomes fit to be read.

report: the verdicts, and the report on a submission.
gradebook_submission: a submission as the gradebook has it, with the scores that people gave.
outputs: what cells have shown, checked before it is kept.
text: cleaners for text that strangers wrote, one for each place where it may stand.
safe_html: the same text as HTML, and the templates of all pages; only here HTML is marked as safe.
feedback_page: the page that a student gets.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
