"""The parts of scripts/package, a module for each kind of package."""
