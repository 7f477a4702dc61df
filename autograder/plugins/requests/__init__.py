"""Shows regrade requests; publishing.regrade_requests reads them, for the dashboard too.

- command: the command `requests`, and what is wrong in regrade_requests.csv.
"""
