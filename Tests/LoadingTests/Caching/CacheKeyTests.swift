import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct CacheKeyTests {
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
  }

  @Test func `a Digest field that nobody computed is another one each time, a computed one is its credentials`() throws
  {
    let url = "http://example.com/"
    func digest(_ nonce: String, computedFor identity: String? = nil, field other: String? = nil) throws -> CacheKey? {
      let field = "Digest username=\"a\", realm=\"r\", nonce=\"\(nonce)\", response=\"\(nonce)\""
      var settings = ExchangeSettings()
      settings.userInfo[ComputedCredentials.self] = identity.map {
        ComputedCredentials(field: other ?? field, identity: $0)
      }
      return try key(url, [.authorization: field], settings)
    }
    #expect(try digest("1") != digest("2"))
    #expect(try digest("1", computedFor: "a:secret") == digest("2", computedFor: "a:secret"))
    #expect(try digest("1", computedFor: "a:secret") != digest("2", computedFor: "a:wrong"))
    #expect(try digest("1", computedFor: "a:secret") != digest("1"))
    // The app has replaced the field.
    #expect(try digest("1", computedFor: "a:secret", field: "Digest x") == digest("1"))
  }

  @Test func `a field that redaction hides counts as credentials do, but for cookies`() throws {
    let url = "http://example.com/"
    let name = try #require(HTTPField.Name("X-Api-Key"))
    let own = try #require(HTTPField.Name("X-Own"))
    for secretName in [name, try #require(HTTPField.Name("X-Amz-Security-Token")), .proxyAuthorization] {
      let alice = try key(url, [secretName: "alice"])
      #expect(try alice == key(url, [secretName: "alice"]))
      #expect(try alice != key(url, [secretName: "bob"]))
      #expect(try alice != key(url))
      #expect(try #require(alice).text.contains("alice") == false)
    }
    #expect(try key(url, [name: "1", .authorization: "2"]) != key(url, [name: "2", .authorization: "1"]))
    #expect(try key(url, [own: "alice"]) == key(url, [own: "bob"]))
    var settings = ExchangeSettings()
    settings.redaction.fields.insert(own)
    #expect(try key(url, [own: "alice"], settings) != key(url, [own: "bob"], settings))
    #expect(try key(url, [.cookie: "a=1"]) == key(url, [.cookie: "a=2"]))
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
