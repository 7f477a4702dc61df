"""Commands that grading does not need. Each package is a plug-in; docs/plugins.md says how to add a plug-in.

- bench: compares speed and safety with stock nbgrader and Otter.
- canvas: sends grades to Canvas.
- cluster: grades on the machines of a Dask cluster.
- github: writes a workflow that grades in students' repositories.
- gradescope: packs an exercise for Gradescope.
- moodle: fills Moodle's grading worksheet, and packs feedback pages.
- requests: lists regrade requests, and closes them.
- similarity: finds solutions that are more alike than their task explains.
- viva: writes questions about a student's own code; the answers come from running it.
- watch: grades submissions as they arrive.
"""
