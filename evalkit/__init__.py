"""evalkit: trains, imports, measures and gates tokenizers. The suite around ``tokenizers_impl``."""

__version__ = "0.1.0"
