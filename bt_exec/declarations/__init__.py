"""Declarations of packs: functions, facts and fields, checked on import; errors in their code."""
