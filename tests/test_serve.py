"""The server's processes: how they end."""

from __future__ import annotations

import os
import signal

from memoryhub.serve import WebServer


def test_ctrl_c_is_the_masters_to_pass_on() -> None:
    """A worker that hears it twice, from the terminal and from the master, could wait for itself for ever."""
    before = signal.getsignal(signal.SIGINT)
    try:
        WebServer().cfg.post_worker_init(None)
        os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
