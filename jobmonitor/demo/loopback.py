"""The HTTP server of everything that is simulated."""

from __future__ import annotations

from http.server import ThreadingHTTPServer


class LoopbackServer(ThreadingHTTPServer):
    """A thread for each connection."""

    daemon_threads = True
    #: With socketserver's five, a sixth connection in a row waits a second for its second try.
    request_queue_size = 128
