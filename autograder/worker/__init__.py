"""The side of the pipe that runs a submission; nothing here imports the rest of the autograder."""
