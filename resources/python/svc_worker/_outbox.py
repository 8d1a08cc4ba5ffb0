"""What a job posts before its result: progress and chunks, in order, from a thread of their own.

The thread exists only for jobs that use it and ends with the job. The handler waits only when a stream is far ahead of
the network; progress never waits: when many updates are queued, the newest replaces the one before it.
"""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from typing import NamedTuple

from svc_worker._poster import Poster

# What may wait before a stream pauses, and before progress updates are merged. source: ours.
WAITING_POSTS = 256
WAITING_BYTES = 8 * 1024 * 1024


class _Post(NamedTuple):
    is_chunk: bool
    body: bytes


class Outbox:
    """One job's queue. States: unused -> open (first post) -> closed (finish or discard); closed is final."""

    def __init__(self, job_id: str, poster: Poster) -> None:
        self._job_id = job_id
        self._poster = poster
        self._waiting: deque[_Post] = deque()
        self._waiting_bytes = 0
        self._closed = False
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()

    def put_progress(self, body: bytes) -> None:
        """Queue a progress update; never waits."""
        with self._changed:
            if not self.has_room() and self._waiting and not self._waiting[-1].is_chunk:
                self._waiting_bytes -= len(self._waiting.pop().body)
            self._put(_Post(False, body))

    def put_chunk(self, body: bytes) -> None:
        """Queue a chunk; never waits and never drops, so ask for room first."""
        with self._changed:
            self._put(_Post(True, body))

    def has_room(self) -> bool:
        """Whether a stream should go on."""
        with self._changed:
            return len(self._waiting) < WAITING_POSTS and self._waiting_bytes < WAITING_BYTES

    def wait_for_room(self) -> None:
        """Returns when a stream should go on."""
        with self._changed:
            self._changed.wait_for(self.has_room)

    def finish(self) -> None:
        """Returns when everything queued has been posted or given up."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def discard(self) -> None:
        """Drop what is queued; a post on its way is waited for."""
        with self._changed:
            self._waiting.clear()
        self.finish()

    def _put(self, post: _Post) -> None:
        if self._closed:  # a thread of the handler that outlived it
            return
        self._waiting.append(post)
        self._waiting_bytes += len(post.body)
        if self._thread is None:
            context = contextvars.copy_context()  # what it logs belongs to the job
            self._thread = threading.Thread(target=context.run, args=[self._send_all], name="outbox", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _send_all(self) -> None:
        settings = self._poster.settings
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                post = self._waiting.popleft()
                self._waiting_bytes -= len(post.body)
                self._changed.notify_all()
            if post.is_chunk:
                self._poster.post(settings.stream(self._job_id), post.body)
            else:  # worth one try: the next update or the result replaces it
                self._poster.post(settings.done(self._job_id), post.body, keep_trying_s=0)
