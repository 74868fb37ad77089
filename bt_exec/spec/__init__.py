"""Specs of trees and missions: models, loading, serialization, library, expansion."""
