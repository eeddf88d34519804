"""The configurator: from a budget, a context length and a machine to heads, key/value heads and bytes."""
