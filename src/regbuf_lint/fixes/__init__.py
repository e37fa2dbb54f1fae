"""How a finding becomes edits: what is registered where, how sure that is, and what checkpoints make of it."""
