"""Where an edit may stand, and what the text around it has to be for that."""
