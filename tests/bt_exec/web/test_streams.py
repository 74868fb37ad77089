"""Latest-value broadcast: subscribers receive the newest value without blocking the sender."""

from __future__ import annotations

import asyncio

from bt_exec.web.streams import Latest


def test_slow_subscriber_receives_the_newest_value_and_misses_older_ones() -> None:
    wanted: list[int] = []

    async def story() -> None:
        latest = Latest(lambda: wanted.append(1))
        quick, slow = latest.texts(), latest.texts()
        first = asyncio.gather(anext(quick), anext(slow))
        await asyncio.sleep(0)
        assert latest.watched == 2
        latest.publish(b"1")
        assert await first == [b"1", b"1"]
        for text in (b"2", b"3"):
            latest.publish(text)
            assert await anext(quick) == text
        assert await anext(slow) == b"3"
        latest.publish(b"4")
        latest.close()
        assert [text async for text in quick] == [b"4"]
        assert [text async for text in slow] == [b"4"]
        assert latest.watched == 0

    asyncio.run(story())
    assert len(wanted) == 2


def test_new_subscriber_receives_no_old_value() -> None:
    async def story() -> None:
        latest = Latest(lambda: None)
        latest.publish(b"old")
        texts = latest.texts()
        coming = asyncio.ensure_future(anext(texts))
        await asyncio.sleep(0.01)
        assert not coming.done()
        latest.publish(b"new")
        assert await coming == b"new"
        await texts.aclose()
        assert latest.watched == 0

    asyncio.run(story())


def test_value_sent_after_the_loop_has_ended_is_ignored() -> None:
    latest = Latest(lambda: None)

    async def story() -> None:
        texts = latest.texts()
        coming = asyncio.ensure_future(anext(texts))
        await asyncio.sleep(0)
        latest.publish(b"1")
        await coming
        await texts.aclose()

    asyncio.run(story())
    latest.publish(b"2")
    latest.close()
