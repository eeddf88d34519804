"""The autograder of the course: hidden tests, the sandbox that runs student code, and the commands around them."""
