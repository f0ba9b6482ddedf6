"""The laydown search; `laydowns` is its face and says how the parts go together."""
