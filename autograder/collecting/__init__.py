"""Collects submissions from the archives and folders of learning platforms into submitted/.

All input is untrusted: the size of what is read is limited, nothing is extracted from an archive, and no link
is followed. Names inside a student's own archive or folder never decide whose submission it is.

In reading order:

- collect: stores the notebooks of archives, reports on each of them, and lists students without a submission
- survey: reads an archive and chooses the notebooks that count
- attribution: determines the student and the exercise of a file
- metadata: reads the submitters and times in Gradescope's file, Moodle's grading worksheet or a CSV
- attempts: stores all submitted notebooks, orders them by time, and writes the newest into submitted/
- names: parses file names as platforms and students write them
- archive: reads zips, tars, folders and the archives inside them as one stream of entries, within limits
"""
