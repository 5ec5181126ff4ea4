"""Nothing here runs without checkouts of the other projects: see checkouts.py."""

import os

collect_ignore_glob = [] if os.environ.get("MEMORYHUB_TEST_UPSTREAM") else ["test_*.py"]
