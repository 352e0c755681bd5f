// A loader and a transport without a session: a request, a response, its body.

import CurlewCore
import CurlewCurlTransport
import CurlewLoading

let transport = try CurlTransport()
let loader = Loader(transport)

let response = try await loader.load(Request(.get, "https://www.swift.org/"))
let page = try await response.body.collect(upTo: 1 << 20)
print(response.head.status, "with", page.count, "bytes")

await transport.shutdown()
