"""A course as its author writes it: course.yaml and a folder for each exercise.

Reading a course needs neither torch nor nbgrader, so that collecting submissions and building notebooks start
at once. In reading order:

course: loads course.yaml, and gives the exercises, their limits, rules and due dates
settings: what course.yaml may contain, and what is wrong with it in an author's words
late: what late work costs
attempts: which attempt of a student counts
moments: reads moments and spans of time, with time zones by name
yaml_lines: reads YAML and remembers the line of each value
rule: what a question asks its answers to do without, or to keep to
building: which earlier questions a later one may call
operators: groups of torch's operators, by which rules are written
limits: what a submission may use, and how much must stand between it and the machine
names: which names exercises may have, what a question's check is called, and which name may be meant
exercise: an exercise's folder, with its other right answers and its known mistakes
figure: puts an exercise's figures into its texts
source: the exercise itself, a notebook as text with solutions, and its cells
kept_source: keeps what was read of a source on disk, for the next command
reference: on which line of the source running the solution fails
folder: a folder's files, without what programs leave there
giveaway: finds parts of answers in what students get
hints: the hints that students can ask for, and what is wrong with them
notebook: makes nbgrader's source notebook of an exercise
kept: names the files that a course keeps, and those that commands make again
secret: keeps the secret from which hidden inputs come
copy: makes a smaller course of some of the exercises
unwritable: says in a sentence that nothing can be written
log: keeps what went wrong on our side in build/*.log
kit/: by which students check their own notebook, and how to set up
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
