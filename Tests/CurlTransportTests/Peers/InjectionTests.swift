import CurlewCore
import CurlewCurlTransport
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

/// Bytes that would end a line or a field never reach a server from inside a name, a value, a method or a URL.
@Suite struct InjectionTests {
  /// What attackers send, from the collection beside the checkout, and what no collection can lack.
  private static let payloads: [String] = {
    let page = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../../shared/data/payloads/CRLF-Injection.md"
    ).standardizedFileURL
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { $0.contains("%0") || $0.contains("%E5%98") }.map(String.init)
    return lines + lines.compactMap(\.removingPercentEncoding) + [
      "a\r\nInjected: yes", "a\nInjected: yes", "a\rInjected: yes", "a\u{0}Injected: yes",
      "a\r\n\r\nGET /injected HTTP/1.1\r\nHost: h\r\n\r\n", "a\r\n Injected: yes", "嘊嘍Injected: yes", "\r\n", "\n",
    ]
  }()

  private func seen(of request: Request) async throws -> [OriginRequest] {
    let origin = try await ScriptedOrigin.start { _ in .ok("fine") }
    let transport = try CurlTransport()
    var request = request
    request.url = try #require(URL(string: origin.url("/").absoluteString + request.url.absoluteString.dropFirst(9)))
    if let response = try? await transport.send(request, in: Exchange()) { await response.body.discard(upTo: 1_000) }
    await transport.shutdown()
    let requests = origin.requests
    await origin.stop()
    return requests
  }

  @Test(arguments: payloads) func `no payload in a field's value becomes a field`(payload: String) async throws {
    for value in [
      HTTPField(name: .accept, value: payload), HTTPField(name: .accept, lenientValue: Array(payload.utf8)),
    ] {
      var request = Request(.get, try #require(URL(string: "http://h/")))
      request.headerFields.append(value)
      let seen = try await seen(of: request)
      #expect(seen.count <= 1)
      for one in seen { #expect(one.target == "/" && one["Injected"] == nil) }
    }
  }

  @Test(arguments: payloads) func `no payload is a name or a method`(payload: String) {
    guard payload.contains(where: { "\r\n\0:".contains($0) || $0 == "\r\n" }) else { return }
    #expect(HTTPField.Name(payload) == nil)
    #expect(HTTPRequest.Method(payload) == nil)
  }

  @Test(arguments: payloads) func `no payload in a URL becomes more than a path`(payload: String) async throws {
    let text = "http://h/" + payload
    guard payload.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      let error = #expect(throws: NetworkError.self) { try Request(.get, text) }
      #expect(error?.kind == .invalidURL)
      // The same as a URL value, which percent-encodes what it may not hold.
      guard let url = URL(string: text) else { return }
      #expect(try await seen(of: Request(.get, url)).allSatisfy { $0.path != "/injected" })
      return
    }
    let seen = try await seen(of: try Request(.get, text))
    #expect(seen.count <= 1)
    for one in seen { #expect(one["Injected"] == nil) }
  }
}
