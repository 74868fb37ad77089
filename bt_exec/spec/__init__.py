"""Trees as data: models, reading with positions, writing, the library, expansion."""
