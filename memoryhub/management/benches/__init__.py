"""What `manage.py bench` measures, one part a module; everything in installations of its own."""
