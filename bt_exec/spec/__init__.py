"""Specs of trees and missions: models, loading, serialization, library and expansion."""
