#!/usr/bin/env python3
"""The work of Benchmarks/Peers with aiohttp and its defaults.

aiohttp-peer.py get|record URL COUNT INFLIGHT | download URL FILE | text URL
"""
import asyncio
import sys

import aiohttp


async def repeated(count, in_flight, once):
    async def share(count):
        for _ in range(count):
            await once()

    await asyncio.gather(*(share(count // in_flight + (index < count % in_flight)) for index in range(in_flight)))


async def main(task, url, *rest):
    async with aiohttp.ClientSession(raise_for_status=True) as session:
        async def get():
            async with session.get(url) as response:
                body = await response.read()
            if len(body) != 1000:
                raise SystemExit(f"The body had {len(body)} bytes instead of 1,000.")

        async def record():
            async with session.get(url) as response:
                value = await response.json()
            if value["id"] != 7 or len(value["sightings"]) != 10:
                raise SystemExit("The record has other values than the file.")

        if task in ("get", "record"):
            await repeated(int(rest[0]), int(rest[1]), get if task == "get" else record)
        elif task == "download":
            async with session.get(url) as response:
                with open(rest[0], "wb") as file:
                    async for chunk in response.content.iter_chunked(1 << 16):
                        file.write(chunk)
        else:
            async with session.get(url) as response:
                print(await response.text())


asyncio.run(main(*sys.argv[1:]))
