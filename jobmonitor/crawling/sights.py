"""What a run has seen of its source, page by page, and what that proves of its channels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from jobmonitor.crawling.adopting import Resumed
from jobmonitor.crawling.settling import Looks
from jobmonitor.domain.completeness import ChannelVerdict, judge_listing
from jobmonitor.domain.reference import LocalKey
from jobmonitor.domain.versioning import KnownPosting
from jobmonitor.items import ListPage, PostingKey


class Sights:
    """Pages, closed signals and probes of one run."""

    def __init__(self) -> None:
        #: List pages by listing channel, in the order in which they came.
        self.pages: defaultdict[str, list[ListPage]] = defaultdict(list)
        #: Postings that the site said are closed, with its words.
        self.withdrawn: dict[LocalKey, str] = {}
        #: Postings whose own address was asked, and those of them that it showed.
        self.probed: set[LocalKey] = set()
        self.alive: set[LocalKey] = set()
        #: Obstacles outside the pages.
        self.troubles: list[str] = []

    def page(self, page: ListPage) -> None:
        """A list page, read or failed."""
        self.pages[page.listing].append(page)

    def restore(self, resumed: Resumed, known: Collection[LocalKey]) -> list[ListPage]:
        """Take over what the run saw before it was cut off; its list pages."""
        self.withdrawn |= resumed.withdrawn(known)
        self.probed, self.alive = resumed.probed(known)
        pages = resumed.list_pages()
        for page in pages:
            self.page(page)
        return pages

    def verdicts(self, *, finished: bool) -> list[ChannelVerdict]:
        """What the pages prove of each channel; nothing where the run was not finished."""
        troubles = self.troubles + ([] if finished else ["the run was interrupted"])
        return [judge_listing(name, pages, troubles=troubles) for name, pages in self.pages.items()]

    def unproven(self) -> list[str]:
        """Channels that the pages so far do not prove to be whole."""
        return [verdict.listing for verdict in self.verdicts(finished=True) if not verdict.complete]

    def unseen(
        self, known: Mapping[LocalKey, KnownPosting], channels: Collection[str], source: str
    ) -> dict[int, PostingKey]:
        """Known postings of these channels, not gone, that no page showed, by id."""
        if not channels:
            return {}
        shown = {each for pages in self.pages.values() for page in pages for each in page.ids}
        return {
            each.posting_id: PostingKey(source=source, channel=channel, native_id=native_id)
            for (channel, native_id), each in known.items()
            if each.state != "gone" and native_id not in shown and each.listings & set(channels)
        }

    def looks(self, verdicts: Sequence[ChannelVerdict]) -> Looks:
        """All of it, for the settling of the run."""
        shown = {name: {each for page in pages for each in page.ids} for name, pages in self.pages.items()}
        return Looks(verdicts=verdicts, shown=shown, withdrawn=self.withdrawn, alive=self.alive, probed=self.probed)
