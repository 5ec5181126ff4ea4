#!/usr/bin/env python
import os
import sys


def main(argv: list[str]) -> None:
    """Run a command. What a database says of a failure may quote a remembered text, so only its class is shown."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        execute_from_command_line(argv)
    except DatabaseError as error:
        if "--traceback" in argv:
            raise
        sys.exit(
            f"The database cannot answer ({type(error).__name__}). Is it reachable and up to date (manage.py migrate)? "
            "Option --traceback shows more, and may show stored text."
        )


if __name__ == "__main__":
    main(sys.argv)
