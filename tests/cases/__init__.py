"""Public fault reports as data, and the functions that run them."""
