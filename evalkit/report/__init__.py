"""Reports: pure functions from results to text. Nothing is computed here that isn't in the results."""
