// A response over async-http-client.
import CurlewAsyncHTTPClientTransport
import CurlewCore

let transport = AsyncHTTPClientTransport()
let response = try await transport.send(Request(.get, CommandLine.arguments[1] + "bird.json"), in: Exchange())
let bytes = try await response.body.collect(upTo: 1 << 20)
await transport.shutdown()
print("ok:", response.head.status, bytes.count)
