"""Results to text: one file per output format, listed in ``registry``."""
