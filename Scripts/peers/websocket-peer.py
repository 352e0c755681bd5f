#!/usr/bin/env python3
"""A WebSocket server of another project, for Scripts/websocket-peers.

  websocket-peer.py websockets|wsproto|aiohttp plain|deflate PORTFILE

It writes its port on 127.0.0.1 to PORTFILE. Each message is sent back; a text that begins with "send " and two numbers, such as "send 100
5000", is answered by as many messages of that many bytes, by turns texts and bytes; "close CODE REASON" closes with them; "ping" pings.
"""
import asyncio, os, sys

project, mode, portfile = sys.argv[1:4]
deflate = mode == "deflate"


def announce(port):
    with open(portfile + ".new", "w") as file:
        file.write(str(port))
    os.rename(portfile + ".new", portfile)


def answers(message):
    """The answers to a message: a list of texts and bytes, or a code and a reason."""
    if isinstance(message, str) and message.startswith("send "):
        _, count, size = message.split(" ")
        for number in range(int(count)):
            text = (f"{number} " + "curlew " * (int(size) // 7 + 1))[: int(size)]
            yield text if number % 2 == 0 else text.encode()
        return
    yield message


async def run_websockets():
    from websockets.asyncio.server import serve

    async def handler(connection):
        async for message in connection:
            if message == "ping":
                waiter = await connection.ping()
                await waiter
            if isinstance(message, str) and message.startswith("close "):
                _, code, reason = message.split(" ", 2)
                return await connection.close(int(code), reason)
            for answer in answers(message):
                await connection.send(answer)

    compression = "deflate" if deflate else None
    async with serve(handler, "127.0.0.1", 0, compression=compression, max_size=None) as server:
        announce(server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().create_future()


async def run_aiohttp():
    from aiohttp import web, WSMsgType

    async def handler(request):
        socket = web.WebSocketResponse(compress=deflate, max_msg_size=0)
        await socket.prepare(request)
        async for message in socket:
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                continue
            if message.data == "ping":
                await socket.ping(b"aiohttp")
            if isinstance(message.data, str) and message.data.startswith("close "):
                _, code, reason = message.data.split(" ", 2)
                await socket.close(code=int(code), message=reason.encode())
                break
            for answer in answers(message.data):
                await (socket.send_str(answer) if isinstance(answer, str) else socket.send_bytes(answer))
        return socket

    app = web.Application()
    app.router.add_get("/", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    announce(site._server.sockets[0].getsockname()[1])
    await asyncio.get_running_loop().create_future()


async def run_wsproto():
    from wsproto import ConnectionType, WSConnection
    from wsproto.connection import ConnectionState
    from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, Request, TextMessage
    from wsproto.extensions import PerMessageDeflate

    async def handler(reader, writer):
        connection = WSConnection(ConnectionType.SERVER)
        parts = []

        async def send(event):
            writer.write(connection.send(event))
            await writer.drain()

        try:
            while data := await reader.read(65536):
                connection.receive_data(data)
                for event in connection.events():
                    if isinstance(event, Request):
                        await send(AcceptConnection(extensions=[PerMessageDeflate()] if deflate else []))
                    elif isinstance(event, Ping):
                        await send(event.response())
                    elif isinstance(event, CloseConnection):
                        # The answer to our own close frame needs no answer.
                        if connection.state is not ConnectionState.CLOSED:
                            await send(event.response())
                        return
                    elif isinstance(event, (TextMessage, BytesMessage)):
                        parts.append(event.data)
                        if not event.message_finished:
                            continue
                        message = (b"" if isinstance(event, BytesMessage) else "").join(parts)
                        parts.clear()
                        if message == "ping":
                            await send(Ping(payload=b"wsproto"))
                        if isinstance(message, str) and message.startswith("close "):
                            _, code, reason = message.split(" ", 2)
                            await send(CloseConnection(code=int(code), reason=reason))
                            continue
                        for answer in answers(message):
                            # In two fragments, so that the client joins them.
                            half = len(answer) // 2
                            kind = TextMessage if isinstance(answer, str) else BytesMessage
                            await send(kind(data=answer[:half], message_finished=False))
                            await send(kind(data=answer[half:], message_finished=True))
        finally:
            writer.close()

    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    announce(server.sockets[0].getsockname()[1])
    await asyncio.get_running_loop().create_future()


asyncio.run({"websockets": run_websockets, "aiohttp": run_aiohttp, "wsproto": run_wsproto}[project]())
