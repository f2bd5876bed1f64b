"""Recorded answers of career sites beside what must come out of them."""
