import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

/// Requests that were sent before another one changed what they ask for, and are answered after it.
@Suite(.timeLimit(.minutes(10))) struct CacheInvalidationTests {
  private let gate = ManualGate()

  /// An origin that holds its GET or HEAD number `held` back, and counts in its bodies.
  private func scene(holding held: Int, _ fields: HTTPFields, unchanged: Bool = false) -> CacheScene {
    let asked = Collected<HTTPRequest.Method>()
    return CacheScene { [gate] request in
      guard request.request.method != .post else { return StubAnswer(.noContent) }
      asked.append(request.request.method)
      let number = asked.all.count
      if number == held { try await gate.wait() }
      if unchanged, number == held { return StubAnswer(.notModified, headerFields: fields) }
      return .bytes(Data("body \(number)".utf8), headerFields: fields)
    }
  }

  @Test(arguments: [[], ["X-Api-Key"], ["X-Csrf-Token"], ["X-Api-Key", "X-Csrf-Token"]])
  func `a POST invalidates what was stored for its credentials, a part of them or none`(
    ofGet names: [String]
  ) async throws {
    let scene = scene(holding: 0, [.cacheControl: "max-age=100"])
    var fields: HTTPFields = [:]
    for name in names { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "own")) }
    #expect(try await scene.get(fields).text == "body 1")
    #expect(try await scene.get(fields).source == .cache)
    var all: HTTPFields = [.authorization: "Bearer token"]
    for name in ["X-Api-Key", "X-Csrf-Token"] {
      all.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "own"))
    }
    try await scene.get(all, .post)
    #expect(try await scene.get(fields).text == "body 2")
  }

  @Test func `a GET that began before a POST and is answered after it is not stored`() async throws {
    let scene = scene(holding: 1, [.cacheControl: "max-age=100"])
    let old = Task { try await scene.get() }
    try await gate.waitForArrivals()
    try await scene.get([:], .post)
    gate.open()
    #expect(try await old.value.text == "body 1")
    #expect(try await scene.get().text == "body 2")
    #expect(try await scene.get().source == .cache)
  }

  @Test func `a 304 that was asked for before a POST does not bring back what the POST removed`() async throws {
    let scene = scene(holding: 2, [.cacheControl: "max-age=10", .eTag: "\"a\""], unchanged: true)
    try await scene.get()
    scene.pass(20)
    let old = Task { try await scene.get() }
    try await gate.waitForArrivals()
    try await scene.get([:], .post)
    gate.open()
    #expect(try await old.value.text == "body 1")
    #expect(try await scene.get().text == "body 3")
  }

  @Test func `a HEAD that was sent before a POST does not bring back what the POST removed`() async throws {
    let scene = scene(holding: 2, [.cacheControl: "max-age=10", .eTag: "\"a\"", .contentLength: "6"])
    try await scene.get()
    scene.pass(20)
    let old = Task { try await scene.get([:], .head) }
    try await gate.waitForArrivals()
    try await scene.get([:], .post)
    gate.open()
    _ = try await old.value
    #expect(try await scene.get().source == .network)
  }

  @Test func `keys are remembered up to a limit, and a forgotten one counts as invalidated`() {
    var invalidations = CacheInvalidations()
    let before = invalidations.now
    invalidations.note(CacheKey(text: "a"))
    let after = invalidations.now
    #expect(invalidations.concern(CacheKey(text: "a"), since: before))
    #expect(!invalidations.concern(CacheKey(text: "a"), since: after))
    #expect(!invalidations.concern(CacheKey(text: "b"), since: before))
    for number in 0..<CacheInvalidations.limit { invalidations.note(CacheKey(text: "\(number)")) }
    #expect(invalidations.concern(CacheKey(text: "b"), since: before))
    let now = invalidations.now
    invalidations.note(CacheKey(text: "c"))
    #expect(!invalidations.concern(CacheKey(text: "b"), since: now))
  }
}
