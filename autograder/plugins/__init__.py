"""Plug-ins: packages with commands that grading does not need. docs/plugins.md says how to add a plug-in.

- bench: compares our grading time with nbgrader and Otter; counts wrong answers that hidden tests reject.
- canvas: sends grades to Canvas, and packs feedback for it.
- cluster: grades on the machines of a Dask cluster.
- github: writes a workflow that grades in students' repositories.
- gradescope: packs an exercise, and feedback pages, for Gradescope.
- moodle: fills Moodle's grading worksheet, and packs feedback pages.
- requests: lists regrade requests, and marks them as done.
- similarity: finds pairs of suspiciously similar answers.
- viva: writes questions for an oral exam about a student's own code, with the right answers.
- watch: grades submissions as they arrive.
"""
