"""Webhooks: what happens to shared memory, told to addresses that maintainers and admins name. Ids, never text."""
