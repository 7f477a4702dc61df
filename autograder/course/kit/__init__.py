"""The kit: what lies beside a released notebook as conftest.py, so that students can check their own.

A release makes one file of these modules (bundle.py), in this order, with the worker's omission.py behind the
first. A student's folder has no autograder, so they import nothing but each other, pytest and Python's own.

contents: what the kit knows of its exercise
watch: ends cells that run for too long or would end pytest, and keeps what cells print
cell: a code cell, what it is for, and how it runs
joined: finds the checks that stand inside a larger cell
beside: knows which files beside the notebook its cells read
notebook: runs the cells, then the check of each question, and says why one does not pass
finding: finds the notebook in a folder, or says what to do where there is none
progress: remembers which questions passed, as long as notebook and kit are the same
page: writes what the checks found as a page
questions: the notebook and its questions as pytest sees them
session: counts the questions that pass, gives hints, and tells pytest of all this
SETUP.md: what to install
"""
