"""The GPU of this machine, as the grader sees it: from outside the processes of students, through the driver's own library."""
