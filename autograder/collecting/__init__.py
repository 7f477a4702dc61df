"""Collects submissions from the archives and folders of learning platforms into submitted/.

All input is untrusted. The amount of data that is read is limited, no file is extracted from an archive, and
links in archives and folders are not followed. Students choose the names inside their own archives, so these
names never identify the student.

In reading order:

- collect: stores the notebooks of archives, reports on each of them, and lists students without a submission
- survey: lists the notebooks of an archive and chooses those that count
- attribution: determines the student and the exercise of a file
- metadata: reads submitters and times from Gradescope's metadata file, Moodle's worksheet or a CSV file
- attempts: stores all submitted notebooks, orders them by time, and writes the newest into submitted/
- names: parses file names as platforms and students write them
- archive: reads folders, zip and tar archives, and archives inside them, with limits on their sizes
"""
