"""Split patterns as regular expressions: parsing, sets of code points, and the program that both engines run."""
