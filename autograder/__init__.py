"""The engine that builds, releases and grades a course of notebooks; it knows no course content."""
