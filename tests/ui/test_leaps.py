"""A reply that grows where the terminal can't scroll a column: fewer moves, nothing hidden."""

from __future__ import annotations

from hermes_tui.ui.transcript_view import LEAP
from tests.ui.test_transcript import Chat, messages, reply, screen, whole


async def test_where_each_move_is_drawn_a_growing_reply_leaps_and_ends_at_the_bottom() -> None:
    app = Chat()
    app.draws_columns = True  # type: ignore[attr-defined]
    async with app.run_test(size=(100, 12)) as pilot:
        transcript = app.transcript
        transcript.styles.width = 60
        await pilot.pause()
        transcript.append(*messages(8))
        transcript.flush()
        assert screen(transcript) == whole(transcript)[-12:]
        block = reply("start")
        block.open = True
        transcript.append(block)
        tops: set[int] = set()
        for n in range(40):
            block.text += f"\n\nparagraph {n}"
            transcript.update(block)
            transcript.flush()
            assert any(f"paragraph {n}" in line for line in screen(transcript)[-LEAP:])
            assert transcript.following
            tops.add(round(transcript.scroll_y))
        assert len(tops) <= 40 * 2 / LEAP + 2
        block.open = False
        transcript.update(block)
        transcript.flush()
        assert screen(transcript) == whole(transcript)[-12:]
