"""Collects submissions from the archives and folders of learning platforms into submitted/.

All input is untrusted: the size of what is read is limited, nothing is extracted from an archive, and no link
is followed. Students choose the names inside their own archives, so these names never identify the student.

In reading order:

- collect: stores the notebooks of archives, reports on each of them, and lists students without a submission
- survey: reads an archive and chooses the notebooks that count
- attribution: determines the student and the exercise of a file
- metadata: reads submitters and times from Gradescope's metadata file, Moodle's worksheet or a CSV file
- attempts: stores all submitted notebooks, orders them by time, and writes the newest into submitted/
- names: parses file names as platforms and students write them
- archive: reads folders, zip and tar archives, and archives inside them, with limits on their sizes
"""
