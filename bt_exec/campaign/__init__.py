"""Campaigns: many missions in many worlds, with rates, intervals and comparisons."""
