"""Plain data that every other layer speaks in: frozen, picklable, no behaviour that reads files or trees."""
