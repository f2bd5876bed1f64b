"""A simulated job market: seeded, day by day, with its own ground truth, served in the shapes of real systems."""
