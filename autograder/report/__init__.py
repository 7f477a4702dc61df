"""What grading concludes about a submission, and how it becomes fit to be read.

report: the verdicts, and the report on a submission.
example: one small call that goes wrong, as plain numbers.
gradebook_submission: a submission as the gradebook has it, with the scores that people gave.
outputs: what cells have shown, checked before it is kept.
text: cleaners for text that strangers wrote, one for each place where it may stand.
renderer: asks the markup process for HTML.
markup_process: the process in which strangers' Markdown, code and HTML is parsed, with bounds.
markup: what that process does: text becomes HTML that can run nothing.
pictures: keeps the pictures of a text cell away from the parsers.
allowance: bounds one page in size and in the time that it costs.
safe_html: the same text as HTML, and the templates of all pages; only here HTML is marked as safe.
example_view: such a call as tables, with colours and with words.
standing: how an answer stands, in a word or two.
question_view: how one question stands, in words for the student.
notebook_view: a notebook as it ran, in parts that fit on a page.
feedback_page: the page that a student gets.
"""
