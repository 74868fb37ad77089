"""Seeing in general: data sets, training, detectors, figures, annotated pictures. Knows no pack."""
