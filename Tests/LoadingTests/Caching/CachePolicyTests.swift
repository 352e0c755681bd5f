import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// `RequestOptions.cachePolicy`, which has the modes of Fetch.
@Suite(.timeLimit(.minutes(10))) struct CachePolicyTests {
  private let pragma = HTTPField.Name("Pragma") ?? .cacheControl

  private func scene() -> CacheScene { CacheScene([.cacheControl: "max-age=10", .eTag: "\"a\""]) }

  @Test func `caches on the way are told of the policy, whether or not the client has a cache`() async throws {
    let pragma = try #require(HTTPField.Name("Pragma"))
    for chain in [InterceptorChain(), InterceptorChain(caching: Caching(MemoryCacheStore()))] {
      let recording = RecordingTransport(StubTransport(.text("x")))
      let loader = Loader(recording, chain: chain)
      for (policy, control, old) in [
        (CachePolicy.reload, "no-cache" as String?, "no-cache" as String?), (.noStore, "no-cache", "no-cache"),
        (.revalidate, "max-age=0", nil), (.protocolDefined, nil, nil), (.returnStoredElseLoad, nil, nil),
      ] {
        var request = Fixture.request()
        request.options.cachePolicy = policy
        _ = try await loader.load(request)
        #expect(recording.requests.last?.headerFields[.cacheControl] == control, "\(policy)")
        #expect(recording.requests.last?.headerFields[pragma] == old, "\(policy)")
        request.headerFields = [.cacheControl: "no-store", pragma: "x"]
        _ = try await loader.load(request)
        #expect(recording.requests.last?.headerFields[.cacheControl] == "no-store", "\(policy)")
        #expect(recording.requests.last?.headerFields[pragma] == "x", "\(policy)")
      }
    }
  }

  @Test func `no-store neither looks nor stores`() async throws {
    let scene = scene()
    try await scene.get { $0.options.cachePolicy = .noStore }
    #expect(try await scene.get().text == "body 1")
    #expect(try await scene.get { $0.options.cachePolicy = .noStore }.text == "body 2")
    #expect(try await scene.get().text == "body 1")
    #expect(scene.sent.all.first?.headerFields[.cacheControl] == "no-cache")
    #expect(scene.sent.all.first?.headerFields[pragma] == "no-cache")
  }

  @Test func `reload fetches and stores`() async throws {
    let scene = scene()
    try await scene.get()
    #expect(try await scene.get { $0.options.cachePolicy = .reload }.text == "body 1")
    #expect(scene.sent.all.last?.headerFields[.cacheControl] == "no-cache")
    #expect(scene.sent.all.last?.headerFields[.ifNoneMatch] == nil)
    let hit = try await scene.get()
    #expect(hit.text == "body 1")
    #expect(hit.source == .cache)
  }

  @Test func `revalidate asks before it uses`() async throws {
    let scene = scene()
    try await scene.get()
    try await scene.get { $0.options.cachePolicy = .revalidate }
    #expect(scene.sent.all.last?.headerFields[.ifNoneMatch] == "\"a\"")
    #expect(scene.sent.all.last?.headerFields[.cacheControl] == "max-age=0")
  }

  @Test func `return stored takes what is there whatever its age`() async throws {
    let scene = scene()
    #expect(try await scene.get { $0.options.cachePolicy = .returnStoredElseLoad }.source == .network)
    scene.pass(1_000)
    #expect(try await scene.get { $0.options.cachePolicy = .returnStoredElseLoad }.source == .cache)
    #expect(try await scene.get { $0.options.cachePolicy = .returnStoredDontLoad }.source == .cache)
    #expect(scene.sent.all.count == 1)
  }

  @Test func `return stored, don't load, is an error with nothing stored and sends nothing`() async throws {
    let scene = scene()
    #expect(
      await Fixture.kind { try await scene.get { $0.options.cachePolicy = .returnStoredDontLoad } } == .notInCache)
    #expect(scene.sent.all.isEmpty)
  }

  @Test func `only-if-cached is a 504 with nothing usable stored`() async throws {
    let scene = scene()
    #expect(try await scene.get([.cacheControl: "only-if-cached"]).status == 504)
    try await scene.get()
    #expect(try await scene.get([.cacheControl: "only-if-cached"]).source == .cache)
    scene.pass(20)
    #expect(try await scene.get([.cacheControl: "only-if-cached"]).status == 504)
    #expect(try await scene.get([.cacheControl: "only-if-cached, max-stale"]).status == 200)
    #expect(scene.sent.all.count == 1)
  }
}
