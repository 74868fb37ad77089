"""Plan passes of the reporter, applied to plans of every compiler: one rule per file."""
