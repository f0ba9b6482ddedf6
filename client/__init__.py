"""The terminal client: what a person at a table sees and does."""
