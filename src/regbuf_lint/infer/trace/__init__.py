"""What becomes of attributes once their object is built: the origins of values, followed by the interpreter."""
