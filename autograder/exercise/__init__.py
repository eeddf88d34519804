"""How an exercise is made of its prose, its reference solution and its public checks."""
