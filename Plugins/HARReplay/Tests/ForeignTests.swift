import CurlewCore
import CurlewHAR
import CurlewReplay
import Foundation
import HTTPTypes
import Testing

/// Replays an archive of another program, which `Scripts/har-peers` lets mitmproxy write.
@Suite struct ForeignTests {
  private static let path = ProcessInfo.processInfo.environment["CURLEW_HAR_FOREIGN"]

  @Test(.enabled(if: path != nil, "Scripts/har-peers runs it"))
  func `each request of another program's archive is answered as it was`() async throws {
    let path = try #require(Self.path)
    let entries = try HARDocument(contentsOf: path).entries
    #expect(entries.count > 5)
    #expect(Set(entries.compactMap { $0.head?.version }) == [.http11, .http2])
    var options = ReplayTransport.Options()
    options.matching = .requestLine
    let replay = try ReplayTransport(path, options: options)
    for entry in entries {
      let request = Request(entry.request.method, entry.request.url)
      let response = try await replay.send(request, in: Exchange())
      #expect(response.head.status.code == entry.head?.status.code)
      #expect(response.head.headerFields[.contentEncoding] == nil)
      let body = try await response.body.collect(upTo: 1 << 20)
      // The folder that nginx served is beside the archive.
      let file = URL(filePath: path).deletingLastPathComponent().appending(path: "served" + request.url.path())
      guard response.head.status == .ok, let content = try? Data(contentsOf: file) else { continue }
      #expect(body == content)
    }
    #expect(replay.unused.isEmpty)
  }
}
