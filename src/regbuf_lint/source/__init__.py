"""From bytes to decoded text and back; which files to read; suppressions; settings."""
