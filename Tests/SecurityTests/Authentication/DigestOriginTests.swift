import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Digest over sockets, against an origin that keeps the books of its nonces.
@Suite struct DigestOriginTests {
  private func load(
    _ count: Int, _ books: DigestBooks, _ authentication: Authentication = Authentication(),
    _ app: App = App(user: "wader", password: "sécret"), request: (URL) -> Request = { Request(.get, $0) }
  ) async throws -> [Int] {
    let origin = try await books.origin()
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [authentication])
    var statuses: [Int] = []
    for index in 0..<count {
      statuses.append(try await app.load(request(origin.url("/a/\(index)?q=1")), loader).status)
    }
    await transport.shutdown()
    await origin.stop()
    return statuses
  }

  @Test(
    arguments: [
      (nil, "auth"), ("MD5", "auth"), ("MD5", nil), ("MD5-sess", "auth"), ("SHA-256", "auth-int"),
      ("SHA-256-sess", "auth,auth-int"), ("SHA-512-256", "auth-int,auth"), ("SHA-512-256-sess", "auth"),
    ] as [(String?, String?)])
  func `one nonce carries a hundred requests, counted one by one`(algorithm: String?, qop: String?) async throws {
    var rules = DigestBooks.Rules()
    (rules.algorithm, rules.qop) = (algorithm, qop)
    let books = DigestBooks(rules)
    let statuses = try await load(100, books) { Request(.put, $0, body: .text("hello")) }
    #expect(statuses.allSatisfy { $0 == 200 })
    #expect(books.counts == [100, 0, 0])
    #expect(books.nonces == 1)
  }

  @Test func `a stale nonce is replaced without a question, and the password is not doubted`() async throws {
    var rules = DigestBooks.Rules()
    rules.usesOfNonce = 3
    let books = DigestBooks(rules)
    let app = App(user: "wader", password: "sécret")
    let statuses = try await load(10, books, Authentication(), app)
    #expect(statuses.allSatisfy { $0 == 200 })
    #expect(books.counts == [10, 0, 3])
    #expect(app.asked.challenges.count == 1)
  }

  @Test func `the next nonce is used when the server gives one`() async throws {
    var rules = DigestBooks.Rules()
    (rules.givesNextNonce, rules.usesOfNonce) = (true, 1)
    let books = DigestBooks(rules)
    #expect(try await load(10, books).allSatisfy { $0 == 200 })
    #expect(books.counts == [10, 0, 0])
  }

  @Test func `a wrong password is asked for once more and then left`() async throws {
    let books = DigestBooks()
    let app = App(user: "wader", password: "wrong")
    #expect(try await load(1, books, Authentication(), app) == [401])
    #expect(books.counts == [0, 1, 0])
    #expect(app.asked.challenges.map(\.previousFailureCount) == [0, 1])
  }

  @Test(arguments: ["auth", "auth-int"], [DigestBooks.Proof.wrong, .ofAnother])
  func `a server that cannot prove that it knows the password is refused`(
    qop: String, proof: DigestBooks.Proof
  ) async throws {
    var rules = DigestBooks.Rules()
    (rules.qop, rules.proof) = (qop, proof)
    let books = DigestBooks(rules)
    let error = await #expect(throws: NetworkError.self) { try await load(1, books) }
    #expect(error?.kind == .authenticationFailed)
    var configuration = Authentication.Configuration()
    configuration.checksServerProof = false
    #expect(try await load(1, DigestBooks(rules), Authentication(configuration: configuration)) == [200])
  }

  @Test func `a proof over a body is checked when it is drained too`() async throws {
    final class Sink: BodySink {
      func receive(_ bytes: UnsafeRawBufferPointer) throws -> SinkDemand { .more }
    }
    for proof in [DigestBooks.Proof.right, .wrong] {
      var rules = DigestBooks.Rules()
      (rules.qop, rules.proof) = ("auth-int", proof)
      let origin = try await DigestBooks(rules).origin(String(repeating: "x", count: 100_000))
      let transport = try CurlTransport()
      let loader = Loader(transport, interceptors: [Authentication()])
      let exchange = Exchange(App(user: "wader", password: "sécret").settings)
      let outcome = await Result(catching: { () async throws in
        _ = try await loader.download(Request(.get, origin.url()), to: Sink(), in: exchange)
      })
      switch outcome {
      case .success: #expect(proof == .right)
      case .failure(let error):
        #expect(proof == .wrong)
        #expect((error as? NetworkError)?.kind == .authenticationFailed)
      }
      await transport.shutdown()
      await origin.stop()
    }
  }

  @Test func `only what its domain names is sent a digest unasked`() async throws {
    var rules = DigestBooks.Rules()
    rules.more = ", domain=\"/a http://elsewhere.example/ //elsewhere.example/\""
    let books = DigestBooks(rules)
    let origin = try await books.origin()
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = App(user: "wader", password: "sécret")
    for path in ["/a", "/a/b", "/c", "/c"] {
      #expect(try await app.load(Request(.get, origin.url(path)), loader).status == 200)
    }
    #expect(origin.requests.map { $0["Authorization"] == nil } == [true, false, false, true, false, true, false])
    await transport.shutdown()
    await origin.stop()
  }

  @Test func `fifty requests at once come through, whatever nonce each meets`() async throws {
    let books = DigestBooks()
    let origin = try await books.origin()
    let transport = try CurlTransport()
    let loader = Loader(transport, interceptors: [Authentication()])
    let app = App { .use(.password(user: "wader", password: $0.previousFailureCount == 0 ? "sécret" : "?")) }
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<50 {
        group.addTask { try await app.load(Request(.get, origin.url("/\(index)")), loader).status }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count == 50 && statuses.allSatisfy { $0 == 200 })
    #expect(books.counts[0] == 50 && books.counts[1] == 0)
    await transport.shutdown()
    await origin.stop()
  }
}

extension Result where Failure == any Error, Success: Sendable {
  /// What an asynchronous closure comes to.
  init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
