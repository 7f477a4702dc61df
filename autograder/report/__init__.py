"""Reports: the results of grading a submission, and how they are shown safely.

report: the verdicts, the report on a submission, and the gradebook's scores for a submission.
example: the inputs and the wrong result of one small call, as numbers and as tables.
text: cleans untrusted text for files, reports, terminals and pages.
markup: the process that parses untrusted Markdown, code and HTML, within limits.
safe_html: gets HTML from the markup process, and fills templates. Only safe_html marks HTML as safe.
question_view: the result of one question, in words for the student.
feedback_page: the page that a student gets.
"""
