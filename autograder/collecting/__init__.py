"""Takes submissions from the archives and folders of learning platforms into submitted/.

Everything here comes from strangers: archives are read within bounds, nothing in them is extracted or
followed, and no name in a student's own files can tell whose submission it is.

In reading order:

- collect: puts the notebooks of archives into submitted/, with their times, and says what became of each
- survey: reads the names in an archive and settles which of its notebooks count
- attribution: attributes a file to a student and an exercise
- names: what is wrong with a name, and what Canvas, Moodle or the instructor's pattern find in it
- times: reads who handed in when from Moodle's grading worksheet, or from a CSV
- gradescope_metadata: reads Gradescope's file about who handed in what, and when
- placing: takes a notebook in, as an attempt and, if it is the newest, into submitted/
- attempts: keeps everything that was handed in, whichever counts
- arrival: what is known of a notebook's time, and which of two is the newer one
- attendance: compares the list of students with the submissions
- archive: reads zip and tar archives, folders, and archives in archives as one stream of entries
- entry: one file in an archive, and how much of an archive is read
"""
