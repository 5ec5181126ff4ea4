"""The MCP door: the Model Context Protocol at /mcp, one POST a message and one JSON answer.

What the protocol offers a server that is not served here: event streams (GET answers 405), sessions (DELETE answers
405, no session id is given out), server-to-client requests in the handshake revisions, batches, prompts, completions,
subscriptions and tasks. The `mcp` package's own server runs on an event loop and wants a loop, a session manager and a
thread for every tool of ours; its types (`mcp-types`) do not, so those are what is used.
"""
