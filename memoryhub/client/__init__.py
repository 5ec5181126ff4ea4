"""What runs beside an agent: clients of a MemoryHub, over HTTP alone. Nothing of the server is imported here."""
