"""What the text of a class says by itself: its methods, class-level names, and every use of its attributes."""
