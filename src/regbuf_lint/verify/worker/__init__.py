"""What runs beside the code under verification, in its process; imports torch."""
