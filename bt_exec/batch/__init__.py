"""Long runs in parallel: folders with one owner, results that survive kills, engines."""
