"""What the findings of several rules have in common: which attributes they are about, and the evidence."""
