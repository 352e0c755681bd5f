#!/usr/bin/env python3
"""An HTTP/2 server over TLS that loses requests in three ways of RFC 9113, and counts the requests that it received.

    losing-h2-server.py PORT CERTIFICATE KEY

One in seven requests on a reused connection is lost: the connection is dropped while the request is open, GOAWAY names a lower
stream (section 6.8), or the stream is refused with REFUSED_STREAM (section 8.7). In the last two cases the request was certainly
not processed. /count returns how many requests that must not be repeated (by X-Request-ID) were processed or dropped more than
once.
"""
import asyncio
import collections
import random
import ssl
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

seen = collections.Counter()


class Server(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.requests = {}
        self.leaving = False
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.initiate_connection()
        transport.write(self.h2.data_to_send())

    def data_received(self, data):
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            self.transport.close()
            return
        for event in events:
            if isinstance(event, h2.events.RequestReceived):
                self.requests[event.stream_id] = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if isinstance(event, h2.events.StreamEnded):
                self.answer(event.stream_id)
                if self.transport.is_closing():
                    return
        self.transport.write(self.h2.data_to_send())

    def answer(self, stream):
        headers = self.requests.pop(stream, {})
        if self.leaving:
            return
        if headers.get(":path", "").endswith("/count"):
            twice = sum(1 for name, times in seen.items() if times > 1 and not name.startswith("GET"))
            return self.reply(stream, str(twice).encode())
        # The first stream of a connection is always answered: that is what a fresh connection is for.
        fate = random.randrange(21) if stream > 1 else 20
        if fate == 0:
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
            return
        if fate == 1 and stream > 1:
            self.leaving = True
            self.h2.close_connection(last_stream_id=stream - 2)
            self.transport.write(self.h2.data_to_send())
            asyncio.get_running_loop().call_later(0.05, self.transport.close)
            return
        seen[headers.get("x-request-id", "")] += 1
        if fate == 2:
            self.transport.abort()
            return
        self.reply(stream, b"hello")

    def reply(self, stream, body):
        try:
            self.h2.send_headers(stream, [(":status", "200"), ("content-length", str(len(body)))])
            self.h2.send_data(stream, body, end_stream=True)
        except h2.exceptions.H2Error:
            pass


async def main():
    port, certificate, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", port, ssl=context)
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
