"""Reference solutions: one module an assignment, each name as the exercise asks for it."""
