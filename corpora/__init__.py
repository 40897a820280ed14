"""The embedded corpora, installed as ``evalkit._corpora``; ``evalkit.embedded`` finds them."""
