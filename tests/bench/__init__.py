"""Measures what the product costs an item, as ratios in one run on one machine; see docs/benchmarks.md."""
