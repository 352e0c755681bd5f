import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Where `Scripts/digest-peers` has httpbin listen; nil when it does not run.
private let peer = ProcessInfo.processInfo.environment["CURLEW_DIGEST_PEER"]

@Suite(.enabled(if: peer != nil, "Scripts/digest-peers runs this"), .serialized)
struct DigestPeerTests {
  @Test(arguments: ["MD5", "SHA-256"], ["auth", "auth-int"])
  func `httpbin takes a thousand requests on one nonce`(algorithm: String, qop: String) async throws {
    let peer = try #require(peer)
    let url = try #require(URL(string: "\(peer)/digest-auth/\(qop)/wader/secret/\(algorithm)/never"))
    let transport = try CurlTransport()
    let recording = RecordingTransport(transport)
    let loader = Loader(recording, interceptors: [Authentication()])
    let app = App(user: "wader", password: "secret")
    var accepted = 0
    for _ in 0..<1_000 where try await app.load(Request(.get, url), loader).status == 200 { accepted += 1 }
    let sent = try recording.requests.compactMap { $0.headerFields[.authorization] }.map { try SentDigest($0) }
    let nonces = Set(sent.compactMap { $0["nonce"] }).count
    let counts = sent.compactMap { $0["nc"].flatMap { Int($0, radix: 16) } }
    await transport.shutdown()
    #expect(accepted == 1_000)
    #expect(recording.requests.count == 1_001)
    #expect(nonces == 1)
    #expect(counts == Array(1...1_000))
    #expect(sent.allSatisfy { $0["qop"] == qop && $0["algorithm"] == algorithm })
    // What the script shows.
    print("digest-peers: \(algorithm) \(qop): \(accepted) of 1000 accepted, \(nonces) nonce, nc to \(counts.last ?? 0)")
  }

  @Test func `httpbin takes Basic, and refuses a wrong password`() async throws {
    let peer = try #require(peer)
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let url = "\(peer)/basic-auth/j%C3%A4s%C3%B8n/s%C3%A9cret"
    #expect(try await App(user: "jäsøn", password: "sécret").load(url, loader).status == 200)
    #expect(
      try await App(user: "jäsøn", password: "wrong").load("\(peer)/basic-auth/other/secret", loader).status == 401)
    await transport.shutdown()
  }
}
