"""One nn.Module class as rules, exemptions and fixes see it: its construction, its family, its text."""
