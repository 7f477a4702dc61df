"""Commands that grading does not need. Each package here is a plug-in; docs/plugins.md says how to add one.

- bench: compares speed and safety with stock nbgrader and Otter.
- canvas: sends grades to Canvas.
- certificate: prints everything that a report depends on, and checks whether it comes out the same again.
- cluster: grades on the machines of a Dask cluster.
- github: grades in students' repositories, and writes Classroom 50's results.
- gradescope: packs an exercise for Gradescope.
- moodle: fills Moodle's grading worksheet, and packs feedback pages.
- requests: lists regrade requests, and closes them.
- similarity: finds solutions that are more alike than their task explains.
- viva: asks students about their own code, with answers from runs of it.
- watch: grades submissions as they come in.
"""
