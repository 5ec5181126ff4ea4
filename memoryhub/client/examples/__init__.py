"""Small programs that run as they are, against the MemoryHub and for the person that the environment names."""
