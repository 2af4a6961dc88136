"""Pure tables: a finished process gives an outcome, an outcome and a claim give a verdict."""
