"""The add-on behind REPLAY_DIR and RECORD_DIR: one setting is enough, the rest follows from it."""

from __future__ import annotations

from typing import Any

from scrapy.settings import BaseSettings, Settings

from jobmonitor.crawling.exchanges import Exchanges, load_exchanges
from jobmonitor.errors import ConfigurationError

#: A folder does not need to be spared.
WITHOUT_DELAYS: dict[str, Any] = {
    "DOWNLOAD_DELAY": 0,
    "START_JITTER": 0,
    "BACKOFF_START": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_SLOTS": {},
}


class ExchangesAddon:
    """Puts the download handlers in place. Priority "cmdline": a source's own delay does not count here."""

    def update_settings(self, settings: Settings) -> None:
        """Install the handler that the settings call for."""
        exchanges = check_exchanges(settings)
        if exchanges is not None:
            _install(settings, "jobmonitor.crawling.replay.ReplayHandler")
            settings.setdict(WITHOUT_DELAYS, priority="cmdline")
            if exchanges.earliest and not settings.get("OBSERVED_AT"):
                settings.set("OBSERVED_AT", exchanges.earliest.isoformat(), priority="cmdline")
        elif settings.get("RECORD_DIR"):
            _install(settings, "jobmonitor.crawling.record.RecordHandler")


def check_exchanges(settings: BaseSettings) -> Exchanges | None:
    """The folder to replay, if there is one; asked before anything starts.

    Raises:
        ConfigurationError: both settings, or a folder that cannot be read.
    """
    replay = settings.get("REPLAY_DIR")
    if replay and settings.get("RECORD_DIR"):
        raise ConfigurationError("Set REPLAY_DIR or RECORD_DIR, not both")
    return load_exchanges(replay) if replay else None


def _install(settings: Settings, handler: str) -> None:
    handlers = {**settings.getdict("DOWNLOAD_HANDLERS"), "http": handler, "https": handler}
    settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")
