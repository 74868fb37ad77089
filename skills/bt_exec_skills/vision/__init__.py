"""Vision tools without a pack: data sets, training, detectors, metrics, annotated pictures."""
