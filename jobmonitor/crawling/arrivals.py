"""Counts items on their way, so that a page is done only when everything that it showed has come to the writer."""

from __future__ import annotations

import asyncio


class Arrivals:
    """How many items have arrived, and who waits for how many."""

    def __init__(self) -> None:
        self._arrived = 0
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    def count(self) -> None:
        """One more."""
        self._arrived += 1
        if self._waiting:
            self._wake()

    async def reach(self, number: int) -> None:
        """Wait until so many have arrived."""
        if self._arrived >= number:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((number, future))
        await future

    def _wake(self) -> None:
        for number, future in self._waiting:
            if number <= self._arrived and not future.done():
                future.set_result(None)
        self._waiting = [each for each in self._waiting if not each[1].done()]
