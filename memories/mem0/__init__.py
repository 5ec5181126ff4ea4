"""The routes of mem0's hosted API that can be mapped, for programs that move here; under /api/mem0.

The same keys, gates, audit and limits as everywhere. Whose memories they are is the credential's to say: a `user_id` is
compared with its person and chooses nobody. What has no counterpart is refused by name and never ignored.
"""
