"""Scrapy settings: the one table of stages, politeness, and the numbers of a crawl.

One file for all environments; `-s NAME=VALUE`, a line of boards.toml or a spider's `custom_settings`
differ where a source must. docs/configuration.md lists every setting of ours with the comment above it.
"""

from __future__ import annotations

from typing import Any

BOT_NAME = "jobmonitor"
SPIDER_MODULES = ["spiders"]
NEWSPIDER_MODULE = "spiders"
SPIDER_LOADER_CLASS = "jobmonitor.crawling.loader.SourceLoader"
COMMANDS_MODULE = "jobmonitor.crawling.commands"
ADDONS = {"jobmonitor.crawling.exchanges_addon.ExchangesAddon": 100}
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"

# The way of a posting. Each stage takes the type that the one before returns.
ITEM_PIPELINES = {
    "pipelines.validate.ValidatePipeline": 100,
    "pipelines.recognise.RecognisePipeline": 200,
    "pipelines.clean.CleanPipeline": 300,
    "pipelines.redact.RedactPipeline": 400,
    "pipelines.fingerprint.FingerprintPipeline": 500,
    "pipelines.version.VersionPipeline": 600,
    "pipelines.extract.ExtractPipeline": 700,
}

# -- Who we are and how we behave ------------------------------------------------------------------------------

# Sent with every request and matched against robots.txt. JOBMONITOR_CONTACT puts the address where you can be reached
# in the place of what stands in brackets.
USER_AGENT = "JobMarketMonitor/0.1 (archive of public job postings)"
# robots.txt is obeyed; no source may switch it off.
ROBOTSTXT_OBEY = True
# Seconds between two requests to one host; lowered only with a written reason.
DOWNLOAD_DELAY = 2.0
# Requests to one host at a time.
CONCURRENT_REQUESTS_PER_DOMAIN = 1
# Slow down when the host slows down, up to a minute between requests; never faster than DOWNLOAD_DELAY.
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 2.0
AUTOTHROTTLE_MAX_DELAY = 60.0
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
# Crawl-delay of robots.txt and Retry-After of busy hosts are honoured on top; the slowest wins.
EXTENSIONS: dict[str, Any] = {
    "scrapy.extensions.throttle.AutoThrottle": None,
    "jobmonitor.crawling.throttle.AutoThrottle": 0,
    "jobmonitor.crawling.politeness.Politeness": 500,
}
# Seconds that a host is left alone when it says "not now" or has failed BREAKER_FAILURES times in a row; each further
# refusal doubles them, up to 15 minutes. Then one request goes to see.
BACKOFF_START = 10.0
BREAKER_FAILURES = 5
# Seconds that a host may refuse before the run ends as interrupted; the next one goes on with what is left.
BREAKER_PATIENCE = 1800.0
# Seconds that a crawl waits at most, at random, before its first request.
START_JITTER = 3.0
# Seconds before a request counts as unanswered; boards of 4 MB are slow.
DOWNLOAD_TIMEOUT = 60
# Bytes of one answer that are too many, and that are worth a warning.
DOWNLOAD_MAXSIZE = 64 * 1024 * 1024
DOWNLOAD_WARNSIZE = 16 * 1024 * 1024
# A failed request is tried so many times more.
RETRY_TIMES = 2
# No cookies: nothing here needs a session.
COOKIES_ENABLED = False
# No port is opened by a crawl.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
SPIDER_MIDDLEWARES = {"jobmonitor.crawling.resuming.ResumingMiddleware": 50}
DOWNLOADER_MIDDLEWARES: dict[str, Any] = {
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "jobmonitor.crawling.robots.RobotsTxtMiddleware": 100,
    "jobmonitor.crawling.retry.RetryMiddleware": 550,
    "jobmonitor.crawling.guarding.HostGuard": 560,
    "jobmonitor.crawling.gates.GateKeeper": 950,
    "jobmonitor.crawling.conditional.ConditionalMiddleware": 540,
}

# -- Sources ---------------------------------------------------------------------------------------------------

# A boards.toml of your own; None = the one beside scrapy.cfg (in the working folder where there is no scrapy.cfg, as
# under scrapyd), if there is one. It adds to the shipped list.
BOARDS_FILE: str | None = None

# -- Time ------------------------------------------------------------------------------------------------------

# The run's logical time (ISO 8601 with offset); None = the earliest time in a replay folder, else the clock.
OBSERVED_AT: str | None = None

# -- Record and replay -----------------------------------------------------------------------------------------

# Folder with exchanges.json: every request is answered from it and none goes to the network.
REPLAY_DIR: str | None = None
# Folder into which every exchange is recorded, in the same format.
RECORD_DIR: str | None = None

# -- Details ---------------------------------------------------------------------------------------------------

# Days after which a detail is read again although its list row is unchanged (spread over the postings).
DETAIL_MAX_AGE = 21

# -- Absence ---------------------------------------------------------------------------------------------------

# Hours between two looks that count against a posting, so that one bad day closes nothing.
CONFIRM_GAP = 20
# Days after which a posting that no list showed is asked for at its own address, where the list cannot be proven whole.
PROBE_AFTER = 3
# Such requests of one run: this share of the others, and at least so many.
PROBE_SHARE = 0.1
PROBE_MIN = 100

# -- Database --------------------------------------------------------------------------------------------------

# Seconds to wait for a lost database before the run ends as interrupted.
DB_PATIENCE = 60.0
# Postings written in one transaction at most, and seconds that the first of them waits for more.
GROUP_SIZE = 200
GROUP_LINGER = 0.005
# Seconds that a run's lease on its source and host lives without a heartbeat.
LEASE_TTL = 60.0
# Seconds to wait for a host that another run is asking before this run is deferred.
HOST_PATIENCE = 1800.0

# -- Resuming --------------------------------------------------------------------------------------------------

# Hours since its last sign of life within which a run that was cut off is taken up again, instead of a new one.
RESUME_WINDOW = 12

# -- Profiles --------------------------------------------------------------------------------------------------

# With a model set, start one process beside the crawl that asks it; False leaves new contents to `jobmonitor extract`.
EXTRACT_BESIDE = True
# Seconds that the end of a crawl waits for that process; then it goes on by itself.
EXTRACT_DRAIN = 60.0

# -- Logs ------------------------------------------------------------------------------------------------------

# Names of postings and reasons, never bodies.
LOG_FORMATTER = "jobmonitor.crawling.logs.ReferenceLogFormatter"
LOG_LEVEL = "INFO"
FEED_EXPORT_ENCODING = "utf-8"
