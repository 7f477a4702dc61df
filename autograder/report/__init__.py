"""Reports: what grading concludes about a submission, and how it is shown safely.

report: the verdicts, the report on a submission, and the scores that the gradebook has for it.
example: one small call that goes wrong, as plain numbers and as tables.
text: cleaners for text that strangers wrote, one for each place where it may stand.
markup: the process in which strangers' Markdown, code and HTML is parsed, with bounds.
safe_html: asks that process for HTML, and fills templates; only here HTML is marked as safe.
question_view: how one question stands, in words for the student.
feedback_page: the page that a student gets.
"""
