// A request that is answered from an archive of another program.
import CurlewCore
import CurlewHAR
import CurlewReplay
import FoundationEssentials

let archive = #"""
  {"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","time":1,
  "request":{"method":"GET","url":"https://example.com/","headers":[]},
  "response":{"status":200,"statusText":"OK","headers":[],"content":{"size":5,"mimeType":"text/plain","text":"hello"}}}]}}
  """#
let transport = ReplayTransport(try HARDocument(Data(archive.utf8)))
let response = try await transport.send(Request(.get, "https://example.com/"), in: Exchange())
print(try await response.body.collect(upTo: 10) == Data("hello".utf8) ? "ok:" : "FAILED:", response.head.status.code)
