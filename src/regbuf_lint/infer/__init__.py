"""Values: what expressions evaluate to, and what the construction of an object does, without running anything."""
