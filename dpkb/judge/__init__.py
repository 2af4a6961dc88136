"""Pure functions: a process that has ended -> outcome; outcome and claim -> verdict."""
