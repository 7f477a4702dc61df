"""Grades on Gradescope: package packs an exercise with our engine, and run grades in its container."""
