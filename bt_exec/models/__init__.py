"""Models that answer questions about pictures, write texts, hear and speak: their interfaces."""
