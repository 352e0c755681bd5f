import CurlewCore
import CurlewCurlTransport
import CurlewTestHarness
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// The replies of curl's own test suite, served byte for byte to Curlew and to the `curl` command: both must come to the
/// same end with the same body.
@Suite struct CurlRepliesTests {
  private struct Reply: Sendable {
    var name: String
    var bytes: [UInt8]
  }

  private enum Outcome: Equatable, CustomStringConvertible {
    case body(Data)
    case failure(String)

    var description: String {
      switch self {
      case .body(let data): "a body of \(data.count) bytes"
      case .failure(let reason): "failure: \(reason)"
      }
    }

    static func == (left: Outcome, right: Outcome) -> Bool {
      switch (left, right) {
      case (.body(let one), .body(let other)): one == other
      case (.failure, .failure): true
      default: false
      }
    }
  }

  /// Where Curlew differs from curl, on purpose.
  private static let differences: [String: String] = [
    "1122/data": "a Content-Length beside a Transfer-Encoding is refused (RFC 9112 §6.3: how responses are split)",
    "1124/data": "a transfer coding was not asked for (RFC 9112 §7.4)",
    "1170/data": "a transfer coding was not asked for (RFC 9112 §7.4)",
    "1482/data": "chunked is there twice, which no sender may do (RFC 9112 §6.1)",
    "1494/data": "a Content-Length beside a Transfer-Encoding is refused (RFC 9112 §6.3: how responses are split)",
    "1546/data": "chunked is not the last transfer coding, so that the end is not to be told (RFC 9112 §6.1)",
    "1598/data": "the header section is cut off before its empty line, which is no response (RFC 9112 §8)",
    "1704/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2302/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2304/data": "the header section is cut off before its empty line, which is no response (RFC 9112 §8)",
    "2700/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2702/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2704/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2706/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2708/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2710/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2712/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2714/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2716/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2718/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2720/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "2722/data": "101 was not asked for (RFC 9110 §15.2.2)",
    "3034/data": "the header section is cut off before its empty line, which is no response (RFC 9112 §8)",
  ]

  /// Where Curlew differs from newer versions of curl only.
  private static let differencesOfNewer = [
    "2306/data2": "a line that begins with a space before the first field is refused (RFC 9112 §2.2), not passed over"
  ]

  private static let replies: [Reply] = {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../../shared/data/curl-http-replies/replies.json")
    guard let data = try? Data(contentsOf: root.standardizedFileURL),
      let cases = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
    else { return [] }
    return cases.flatMap { one -> [Reply] in
      guard let id = one["id"] as? Int, let parts = one["reply"] as? [String: String] else { return [] }
      return parts.sorted { $0.key < $1.key }.compactMap { key, text in
        guard key.hasPrefix("data"), let bytes = Data(base64Encoded: text) else { return nil }
        return Reply(name: "\(id)/\(key)", bytes: [UInt8](bytes))
      }
    }
  }()

  @Test(.enabled(if: !replies.isEmpty && Curl.isThere, "needs ../shared and the curl command"))
  func `each reply comes to the same end as with curl`() async throws {
    let replies = Dictionary(uniqueKeysWithValues: Self.replies.map { ("/" + $0.name, $0.bytes) })
    let origin = try await ScriptedOrigin.start { request in .replay(replies[request.path] ?? []) }
    let transport = try CurlTransport()
    let isOfDebian12 = try await Curl.isOfDebian12()
    for reply in Self.replies {
      let url = origin.url("/" + reply.name)
      let ours = await fetch(url, transport)
      let theirs = try await Curl.fetch(url)
      let differs = ours != theirs
      if let reason = Self.differences[reply.name] {
        // What newer versions of curl do is not held against the list.
        #expect(differs || !isOfDebian12, "\(reply.name) is listed as different, and is not: \(reason)")
      } else if differs, isOfDebian12 || Self.differencesOfNewer[reply.name] == nil {
        Issue.record("\(reply.name): Curlew \(ours), curl \(theirs)")
      }
    }
    await transport.shutdown()
    await origin.stop()
  }

  private func fetch(_ url: URL, _ transport: CurlTransport) async -> Outcome {
    do {
      var request = Request(.get, url)
      request.options.timeouts.idle = .seconds(5)
      let response = try await transport.send(request, in: Exchange())
      return .body(try await response.body.collect(upTo: 10_000_000))
    } catch {
      return .failure(String(describing: error))
    }
  }

  private enum Curl {
    static let path = "/usr/bin/curl"
    static let isThere = PeerProgram.isAvailable(path)

    static func isOfDebian12() async throws -> Bool {
      String(decoding: try await PeerProgram.output(["--version"], of: path).bytes, as: UTF8.self)
        .contains("libcurl/7.88")
    }

    static func fetch(_ url: URL) async throws -> Outcome {
      let (status, body) = try await PeerProgram.output(
        ["-q", "-s", "--http1.1", "--noproxy", "*", "--max-time", "5", url.absoluteString], of: path)
      return status == 0 ? .body(body) : .failure("exit \(status)")
    }
  }
}

@Suite struct StaleHandleTests {
  /// libcurl before 8.1.1 follows a stale pointer here when a handle is used twice (curl/curl#11101); the address
  /// sanitizer's run of this test shows it.
  @Test func `a response that begins with a folded line, after one that was fine, is refused or read`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request.path == "/fine"
        ? .ok("fine", ["X-Long": String(repeating: "x", count: 200)])
        : .replay([UInt8]("HTTP/1.1 200 OK\r\n folded: first\r\n second\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    let transport = try CurlTransport()
    for _ in 0..<20 {
      for path in ["/fine", "/folded"] {
        do {
          let response = try await transport.send(Request(.get, origin.url(path)), in: Exchange())
          _ = try await response.body.collect(upTo: 1_000)
          #expect(path == "/fine")
        } catch let error as NetworkError {
          #expect(path == "/folded" && error.kind != .connectionLost)
        }
      }
    }
    await transport.shutdown()
    await origin.stop()
  }
}
