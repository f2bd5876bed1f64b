"""`extract`: sends contents that wait for a profile to the model, each once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from jobmonitor.cli.display import fields, hint, number
from jobmonitor.cli.output import JsonOption, console, emit, reported
from jobmonitor.errors import ConfigurationError, JobMonitorError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from jobmonitor.config import Config
    from jobmonitor.extraction.asking import Asking
    from jobmonitor.extraction.extractor import Extractor, Report
    from jobmonitor.storage.claims import Scope

#: What a shell expects after Ctrl-C.
INTERRUPTED = 130
#: Seconds between two looks of the progress bar.
_TICK = 0.25

IdleOption = Annotated[
    bool, typer.Option("--until-idle", help="Also wait for contents that other processes are asking about.")
]
LimitOption = Annotated[int | None, typer.Option(min=1, help="At most so many contents.")]
RunOption = Annotated[int | None, typer.Option(min=1, help="Only contents that this run was the first to see.")]
UpgradeOption = Annotated[
    Literal["rules", "degraded"] | None,
    typer.Option(help="Instead of contents that wait: ask again where the rules made the profile."),
]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Only say how many calls it would be, and the price.")]
FedOption = Annotated[
    bool, typer.Option("--fed", hidden=True, help="Go on until standard input ends: a crawl brings contents.")
]


def extract(
    until_idle: IdleOption = False,
    limit: LimitOption = None,
    run: RunOption = None,
    upgrade: UpgradeOption = None,
    dry_run: DryOption = False,
    fed: FedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make the profiles that are still missing: one model call a content, never two at a time."""
    with reported(as_json):
        from jobmonitor.config import load_config
        from jobmonitor.storage.claims import Scope

        config = load_config()
        asking = _asking(config)
        scope = Scope(contract=config.contract, run_id=run, upgrade=upgrade)
        if dry_run:
            _dry_run(config, asking, scope, limit, as_json=as_json)
            return
        bar = _Bar(as_json=as_json)
        report = asyncio.run(_extract(config, asking, scope, limit=limit, until_idle=until_idle, fed=fed, bar=bar))
        _show(report, as_json=as_json)


def _asking(config: Config) -> Asking:
    from jobmonitor.extraction.asking import Asking
    from jobmonitor.extraction.client import price
    from jobmonitor.extraction.contract import load_contract
    from jobmonitor.extraction.pricing import parse_price
    from jobmonitor.extraction.prompting import load_prompt, read_prompt
    from jobmonitor.storage.budget import Budget

    if config.llm_model is None:
        raise ConfigurationError(
            "No model is set, so the rules make the profiles while crawling. To have new contents sent to a model, set "
            "JOBMONITOR_LLM_MODEL to a litellm name such as openai/gpt-4o-mini, and the provider's key (OPENAI_API_KEY)"
        )
    return Asking(
        contract=load_contract(config.contract),
        model=config.llm_model,
        price=parse_price(config.llm_price) if config.llm_price else price(config.llm_model),
        budget=Budget(daily=config.llm_daily_budget, zone=str(config.timezone)),
        timeout=config.llm_timeout,
        concurrency=config.llm_concurrency,
        prompt=read_prompt(config.llm_prompt) if config.llm_prompt else load_prompt(),
    )


@asynccontextmanager
async def _database(config: Config) -> AsyncIterator[AsyncEngine]:
    from jobmonitor.storage.engine import create_engine, database_url, reachable
    from jobmonitor.storage.migrate import require_head

    url = await asyncio.to_thread(database_url, config)
    engine = create_engine(url, name="jobmonitor extract")
    try:
        with reachable(url):
            await require_head(engine, embedded=config.database_url is None)
        yield engine
    finally:
        await engine.dispose()


async def _extract(
    config: Config, asking: Asking, scope: Scope, *, limit: int | None, until_idle: bool, fed: bool, bar: _Bar
) -> Report:
    from jobmonitor.crawling.holder import is_dead, this_process
    from jobmonitor.extraction.client import LitellmClient, aclose, load_litellm
    from jobmonitor.extraction.extractor import Extractor, Process, Work
    from jobmonitor.storage.claims import waiting

    client = LitellmClient(
        asking.model,
        api_base=config.llm_api_base,
        timeout=asking.timeout,
        temperature=asking.temperature,
        price=asking.price,
    )
    # Seconds of work, and not to be taken for a slow model.
    await asyncio.to_thread(load_litellm)
    work = Work(scope=scope, limit=limit, until_idle=until_idle, fed=_stdin_end() if fed else None)
    async with _database(config) as engine:
        process = Process(holder=this_process(), is_dead=is_dead)
        extractor = Extractor(engine, client, asking, work, process=process)
        if bar.shown:
            async with engine.connect() as conn:
                bar.total = min((await waiting(conn, scope)).pending, limit or sys.maxsize)
        try:
            with _signals(extractor), bar.watching(extractor):
                return await extractor.run()
        finally:
            await aclose()


def _stdin_end() -> asyncio.Event:
    """An event that is set when standard input ends."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _drain, ended)
    return ended


def _drain(ended: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        ended.set()


@contextmanager
def _signals(extractor: Extractor) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM waits for what was sent, the second one does not."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    asked = False

    def stop() -> None:
        nonlocal asked
        if asked and task is not None:
            task.cancel()
        asked = True
        extractor.stop()

    for number_ in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number_, stop)
    try:
        yield
    except asyncio.CancelledError:
        raise typer.Exit(INTERRUPTED) from None
    finally:
        for number_ in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number_)


class _Bar:
    """A progress bar on a terminal; nothing in a pipe."""

    def __init__(self, *, as_json: bool) -> None:
        self.shown = not as_json and console().is_terminal
        self.total = 0

    @contextmanager
    def watching(self, extractor: Extractor) -> Iterator[None]:
        """Draw while the block runs."""
        if not self.shown:
            yield
            return
        columns = (TextColumn("contents"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console(), transient=True) as progress:
            task = progress.add_task("contents", total=self.total)

            async def follow() -> None:
                while True:
                    progress.update(task, completed=extractor.done)
                    await asyncio.sleep(_TICK)

            following = asyncio.ensure_future(follow())
            try:
                yield
            finally:
                following.cancel()


def _show(report: Report, *, as_json: bool) -> None:
    if report.problem is not None:
        raise _with_counts(report.problem, report)
    data = {"batch": report.batch, "counts": report.counts, "left": report.left}
    emit(data, as_json=as_json, render=lambda screen: _show_report(screen, report))
    if report.stopped:
        raise typer.Exit(INTERRUPTED)


def _with_counts(problem: JobMonitorError, report: Report) -> JobMonitorError:
    made = number(report.counts.get("profiles", 0))
    error = JobMonitorError(
        f"{problem}\nBatch {report.batch} made {made} profiles; {number(report.left)} contents wait, none is lost: "
        "`jobmonitor extract` goes on"
    )
    error.code = problem.code
    return error


def _show_report(screen: Console, report: Report) -> None:
    counted = [(name, number(count)) for name, count in report.counts.items() if count]
    fields(screen, [("batch", str(report.batch)), *counted, ("left", number(report.left))])
    if not counted:
        hint(screen, "Nothing waits for a profile.")


def _dry_run(config: Config, asking: Asking, scope: Scope, limit: int | None, *, as_json: bool) -> None:
    data = asyncio.run(_priced(config, asking, scope, limit))
    emit(data, as_json=as_json, render=lambda screen: fields(screen, [(name, _said(data[name])) for name in data]))


def _said(value: Any) -> Any:
    return number(value) if isinstance(value, int) else value


async def _priced(config: Config, asking: Asking, scope: Scope, limit: int | None) -> dict[str, Any]:
    from jobmonitor.storage.claims import documents

    async with _database(config) as engine, engine.connect() as conn:
        found = [asking.estimate(each.document) for each in await documents(conn, scope, limit)]
    asked = [each for each in found if each.needless is None]
    most = None if asking.price is None else sum((each.worst_case or 0 for each in asked), start=0)
    return {
        "contents": len(found),
        "calls": len(asked),
        "worst_case": most,
        "currency": asking.currency,
        "model": asking.model,
    }
