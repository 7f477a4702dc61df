"""Collects submissions from the archives and folders of learning platforms into submitted/.

Everything here comes from strangers: archives are read within bounds, nothing in them is extracted or
followed, and no name in a student's own files can tell whose submission it is.

In reading order:

- collect: puts the notebooks of archives into submitted/, reports each of them, and who is missing
- survey: reads an archive and settles which of its notebooks count
- attribution: finds out whose a file is, and for which exercise
- metadata: reads Gradescope's file, Moodle's grading worksheet or a CSV: who handed in what, and when
- attempts: keeps everything that was handed in, says what is newest, and puts one into submitted/
- names: reads file names as platforms and students write them
- archive: reads zips, tars, folders, and archives in these as one stream of entries, within bounds
"""
