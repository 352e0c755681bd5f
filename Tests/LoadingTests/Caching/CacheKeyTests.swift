import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5))) struct CacheKeyTests {
  private let secret = CacheSecret()

  private func key(
    _ url: String, _ fields: HTTPFields = [:], _ settings: ExchangeSettings = ExchangeSettings(),
    _ change: (inout Request) -> Void = { _ in }
  ) throws -> CacheKey? {
    var request = try Request(.get, url)
    request.headerFields = fields
    change(&request)
    return CacheKey(request, in: Exchange(settings), secret: secret)
  }

  @Test func `forms of one URL have one key`() throws {
    let plain = try key("http://example.com/")
    #expect(plain != nil)
    for form in ["HTTP://EXAMPLE.com", "http://example.com:80/#part", "http://example.com#a?b"] {
      #expect(try key(form) == plain)
    }
    for other in ["https://example.com/", "http://example.com:81/", "http://example.com/?", "http://example.com/a"] {
      #expect(try key(other) != plain)
    }
    #expect(try key("http://example.com?a=b") == key("http://example.com/?a=b"))
    #expect(try key("ftp://example.com/") == nil)
    #expect(try key("http://user@example.com/") == nil)
  }

  @Test func `who asks with other credentials gets other responses`() throws {
    let url = "http://example.com/"
    let basic = try key(url, [.authorization: "Basic YTpi"])
    #expect(try key(url) != basic)
    #expect(try key(url, [.authorization: "Basic YTpj"]) != basic)
    #expect(try key(url, [.authorization: "Basic YTpi"]) == basic)
    #expect(try #require(basic).text.contains("YTpi") == false)
    func digest(_ user: String, _ nonce: String) throws -> CacheKey? {
      try key(
        url, [.authorization: "Digest username=\"\(user)\", realm=\"r\", nonce=\"\(nonce)\", response=\"\(nonce)\""])
    }
    #expect(try digest("a", "1") == digest("a", "2"))
    #expect(try digest("a", "1") != digest("b", "1"))
  }

  @Test func `a key says nothing of credentials to whoever has not the secret of its store`() throws {
    var request = try Request(.get, "http://example.com/")
    let exchange = Exchange(ExchangeSettings())
    let kept = try #require(CacheSecret(Data(0..<16)))
    func text(_ secret: CacheSecret) -> String? { CacheKey(request, in: exchange, secret: secret)?.text }
    #expect(text(CacheSecret()) == text(CacheSecret()))
    request.headerFields[.authorization] = "Basic YTpi"
    #expect(text(CacheSecret()) != text(CacheSecret()))
    #expect(text(kept) == text(try #require(CacheSecret(Data(0..<16)))))
    #expect(CacheSecret(Data(0..<15)) == nil && CacheSecret(Data(0..<17)) == nil)
  }

  @Test func `another way there or another form of content has another key`() throws {
    let url = "http://example.com/"
    let plain = try key(url)
    var settings = ExchangeSettings()
    settings.clientIdentity = ClientIdentity(certificateChain: Data("c".utf8), privateKey: Data("k".utf8))
    #expect(try key(url, [:], settings) != plain)
    struct Pin: ServerTrustEvaluating {
      var connectionKey: ConnectionKey { ConnectionKey("pin") }
      func evaluate(_ trust: ServerTrust) throws(ServerTrustError) {}
    }
    var pinned = ExchangeSettings()
    pinned.serverTrust = Pin()
    #expect(try key(url, [:], pinned) != plain)
    #expect(try key(url) { $0.options.unixSocketPath = "/run/x" } != plain)
    #expect(try key(url) { $0.options.addressOverrides = [AddressOverride(address: "127.0.0.1")] } != plain)
    #expect(try key(url, [.acceptEncoding: "gzip"]) != plain)
    #expect(try key(url, [.acceptEncoding: "gzip"]) == key(url, [.acceptEncoding: "br"]))
    #expect(try key(url) { $0.options.decodesContent = false } == plain)
    #expect(try key(url) { $0.options.priority = .high } == plain)
  }
}
