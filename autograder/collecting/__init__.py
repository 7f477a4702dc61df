"""Takes submissions from the archives and folders of learning platforms into submitted/.

Everything here comes from strangers: archives are read within bounds, nothing in them is extracted or
followed, and no name in a student's own files can tell whose submission it is.

In reading order:

- collect: puts the notebooks of archives into submitted/, with their times, and says what became of each
- survey: reads the names in an archive and settles which of its notebooks count
- naming: tells from a name whose notebook it is and for which exercise
- identity: tells which students Canvas or Moodle means by a name
- platforms: reads what Canvas and Moodle write into names
- names: judges names: what is wrong with them, and what the class has in common
- no_notebook: says who handed in something, but no notebook
- instructor: reads names by the instructor's own pattern
- times: reads who handed in when from Moodle's grading worksheet, or from a CSV
- moments: reads points of time as platforms write them, in many languages
- gradescope_metadata: reads Gradescope's file about who handed in what, and when
- placing: takes a notebook in, as an attempt and, if it is the newest, into submitted/
- attempts: keeps everything that was handed in, whichever counts
- plain_folder: opens folders of a course through no link
- arrival: what is known of a notebook's time, and which of two is the newer one
- attendance: compares the list of students with what came
- archive: reads archives, folders, and archives in archives as one stream of entries
- entry: one file in an archive
- bounds: how much of an archive is read
- folder, zip, tar: read one kind of archive each
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
