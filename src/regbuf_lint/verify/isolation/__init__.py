"""Code under verification runs in processes of its own, with limits."""
