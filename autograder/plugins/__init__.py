"""Commands that grading does not need. Each package is a plug-in; docs/plugins.md says how to add a plug-in.

- bench: compares the speed with stock nbgrader and Otter, and measures the strength of the hidden tests.
- canvas: sends grades to Canvas, and packs feedback for it.
- cluster: grades on the machines of a Dask cluster.
- github: writes a workflow that grades in students' repositories.
- gradescope: packs an exercise, and feedback pages, for Gradescope.
- moodle: fills Moodle's grading worksheet, and packs feedback pages.
- requests: lists regrade requests, and marks them as done.
- similarity: finds pairs of solutions that are suspiciously similar.
- viva: writes questions for an oral exam about a student's own code; running the code gives the answers.
- watch: grades submissions as they arrive.
"""
