"""Field readers of the rules extractor: each reads a page and states what it finds in a draft."""
