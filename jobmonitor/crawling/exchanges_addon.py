"""The add-on behind REPLAY_DIR and RECORD_DIR: one setting is enough, the rest follows from it."""

from __future__ import annotations

from typing import Any

from scrapy.settings import Settings

from jobmonitor.crawling.exchanges import load_exchanges
from jobmonitor.errors import ConfigurationError

#: A folder does not need to be spared.
WITHOUT_DELAYS: dict[str, Any] = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_SLOTS": {},
}


class ExchangesAddon:
    """Puts the download handlers in place. Priority "cmdline": a source's own delay does not count here."""

    def update_settings(self, settings: Settings) -> None:
        """Install the handler that the settings call for."""
        replay, record = settings.get("REPLAY_DIR"), settings.get("RECORD_DIR")
        if replay and record:
            raise ConfigurationError("Set REPLAY_DIR or RECORD_DIR, not both")
        if replay:
            _install(settings, "jobmonitor.crawling.replay.ReplayHandler")
            settings.setdict(WITHOUT_DELAYS, priority="cmdline")
            earliest = load_exchanges(replay).earliest
            if earliest and not settings.get("OBSERVED_AT"):
                settings.set("OBSERVED_AT", earliest.isoformat(), priority="cmdline")
        elif record:
            _install(settings, "jobmonitor.crawling.record.RecordHandler")


def _install(settings: Settings, handler: str) -> None:
    handlers = {**settings.getdict("DOWNLOAD_HANDLERS"), "http": handler, "https": handler}
    settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")
