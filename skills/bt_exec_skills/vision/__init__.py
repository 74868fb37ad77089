"""Vision tools that depend on no pack: data sets, training, detectors, metrics, annotation."""
