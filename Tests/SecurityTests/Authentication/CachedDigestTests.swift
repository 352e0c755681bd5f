import CurlewCore
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Digest in front of a cache: the field differs in each request, and only the credentials behind it count.
@Suite(.timeLimit(.minutes(10))) struct CachedDigestTests {
  private static let url = "http://a.test/"

  private func loader(_ transport: StubTransport, _ store: MemoryCacheStore) -> Loader {
    Loader(transport, chain: InterceptorChain(authentication: Authentication(), caching: Caching(store)))
  }

  @Test func `the same credentials get the stored response, and what nobody computed or another password does not`()
    async throws
  {
    let transport = StubTransport { asked in
      guard asked.request.headerFields[.authorization] != nil else {
        return .challenge("Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256")
      }
      return .bytes(Data("body \(asked.index)".utf8), headerFields: [.cacheControl: "private, max-age=86400"])
    }
    let store = MemoryCacheStore()
    let app = App(user: "u", password: "right")
    let first = loader(transport, store)
    let body = try await app.load(Self.url, first).text
    #expect(try await app.load(Self.url, first).text == body)
    #expect(try await app.load(Self.url, loader(transport, store)).text == body)
    let wrong = try await App(user: "u", password: "wrong").load(Self.url, loader(transport, store)).text
    #expect(wrong != body)
    let field = "Digest username=\"u\", realm=\"r\", nonce=\"n\", uri=\"/\", response=\"wrong\""
    var forged = try Request(.get, Self.url)
    forged.headerFields[.authorization] = field
    #expect(try await App().load(forged, loader(transport, store)).text != body)
  }
}
