import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

@Suite(.timeLimit(.minutes(10))) struct CacheDecisionTests {
  /// One row: what the response and the request say, how old the response is, and what follows.
  struct Row: Sendable, CustomTestStringConvertible {
    var response: String
    var request: String = ""
    var policy: CachePolicy? = nil
    var age: Double = 0
    var verdict: CacheDecision.Verdict
    var testDescription: String { "\(response) | \(request) | \(policy.map { "\($0)" } ?? "") at \(age)" }
  }

  static let rows: [Row] = [
    Row(response: "max-age=10", age: 9, verdict: .serve),
    Row(response: "max-age=10", age: 10, verdict: .validate),
    Row(response: "max-age=10, no-cache", verdict: .validate),
    Row(response: "max-age=10, no-cache=\"x\"", verdict: .serve),
    Row(response: "max-age=10, private", verdict: .serve),
    Row(response: "max-age=10, must-revalidate", age: 5, verdict: .serve),
    Row(response: "max-age=10, must-revalidate", request: "max-stale", age: 15, verdict: .validate),
    Row(response: "max-age=10, proxy-revalidate", request: "max-stale", age: 15, verdict: .serve),
    // Requests.
    Row(response: "max-age=10", request: "no-cache", verdict: .validate),
    Row(response: "max-age=10", request: "max-age=0", verdict: .validate),
    Row(response: "max-age=10", request: "max-age=5", age: 4, verdict: .serve),
    Row(response: "max-age=10", request: "max-age=5", age: 6, verdict: .validate),
    Row(response: "max-age=10", request: "max-age=5, max-stale=3", age: 7, verdict: .serve),
    Row(response: "max-age=10", request: "max-age=5, max-stale=3", age: 9, verdict: .validate),
    Row(response: "max-age=10", request: "min-fresh=5", age: 4, verdict: .serve),
    Row(response: "max-age=10", request: "min-fresh=5", age: 6, verdict: .validate),
    Row(response: "max-age=10", request: "min-fresh=x", verdict: .validate),
    Row(response: "max-age=10", request: "max-stale=5", age: 15, verdict: .serve),
    Row(response: "max-age=10", request: "max-stale=5", age: 16, verdict: .validate),
    Row(response: "max-age=10", request: "max-stale", age: 1e6, verdict: .serve),
    Row(response: "max-age=10", request: "max-stale=x", age: 11, verdict: .validate),
    // RFC 5861.
    Row(response: "max-age=10, stale-while-revalidate=5", age: 9, verdict: .serve),
    Row(response: "max-age=10, stale-while-revalidate=5", age: 15, verdict: .serveAndRevalidate),
    Row(response: "max-age=10, stale-while-revalidate=5", age: 16, verdict: .validate),
    Row(response: "max-age=10, stale-while-revalidate=5", request: "max-age=2", age: 3, verdict: .validate),
    Row(response: "max-age=10, stale-while-revalidate=5, must-revalidate", age: 12, verdict: .validate),
    Row(response: "max-age=10, stale-while-revalidate=5, no-cache", age: 12, verdict: .validate),
    // RFC 8246.
    Row(response: "max-age=10, immutable", policy: .revalidate, age: 5, verdict: .serve),
    Row(response: "max-age=10, immutable", policy: .revalidate, age: 15, verdict: .validate),
    Row(response: "max-age=10, immutable", request: "no-cache", age: 5, verdict: .validate),
    // Policies.
    Row(response: "max-age=10", policy: .revalidate, verdict: .validate),
    Row(response: "max-age=10", policy: .returnStoredElseLoad, age: 1e6, verdict: .serve),
    Row(response: "max-age=10, no-cache, must-revalidate", policy: .returnStoredDontLoad, age: 1e6, verdict: .serve),
  ]

  @Test(arguments: rows) func `the table of verdicts holds`(_ row: Row) {
    let stored = CacheFixture.stored([.cacheControl: row.response], ago: row.age)
    let asked = CacheFixture.asked(row.request.isEmpty ? [:] : [.cacheControl: row.request], row.policy)
    #expect(CacheDecision.verdict(on: stored, for: asked, now: CacheFixture.now, CacheHeuristics()) == row.verdict)
  }

  @Test func `Pragma counts where there is no Cache-Control`() throws {
    let pragma = try #require(HTTPField.Name("Pragma"))
    let stored = CacheFixture.stored([.cacheControl: "max-age=10"])
    func verdict(_ fields: HTTPFields) -> CacheDecision.Verdict {
      CacheDecision.verdict(on: stored, for: CacheFixture.asked(fields), now: CacheFixture.now, CacheHeuristics())
    }
    #expect(verdict([pragma: "no-cache"]) == .validate)
    #expect(verdict([pragma: "no-cache", .cacheControl: "max-age=5"]) == .serve)
    #expect(verdict([pragma: "foo"]) == .serve)
  }

  private func isStorable(
    _ fields: HTTPFields, _ status: HTTPResponse.Status = .ok, _ asked: CacheRequest = CacheFixture.asked()
  ) -> Bool {
    CacheDecision.isStorable(ResponseHead(url: Fixture.url, status: status, headerFields: fields), for: asked)
  }

  @Test func `what may be stored is, where it can be used again`() {
    #expect(isStorable([.cacheControl: "max-age=1"]))
    #expect(isStorable([.cacheControl: "max-age=0"]))
    #expect(isStorable([.cacheControl: "private"]))
    #expect(isStorable([.expires: "0"]))
    #expect(isStorable([.eTag: "\"a\""]))
    #expect(isStorable([.lastModified: CacheFixture.date(-10)]))
    #expect(isStorable([.lastModified: CacheFixture.date(-10)], .notFound))
    #expect(isStorable([.cacheControl: "max-age=1"], .init(code: 599)))
    #expect(isStorable([.cacheControl: "max-age=1"], .found))
    #expect(isStorable([.cacheControl: "max-age=1, no-cache"]))
    #expect(isStorable([.cacheControl: "no-store, must-understand, max-age=1"]))
    #expect(isStorable([.cacheControl: "max-age=1", .vary: "Accept"]))
    #expect(isStorable([.cacheControl: "max-age=1", .setCookie: "a=b"]))
  }

  @Test func `what may not be stored, or is of no use, is not`() {
    #expect(!isStorable([:]))
    #expect(!isStorable([.cacheControl: "max-age=1, no-store"]))
    #expect(!isStorable([.cacheControl: "no-store, must-understand, max-age=1"], .init(code: 299)))
    #expect(!isStorable([.cacheControl: "max-age=1", .vary: "*"]))
    #expect(!isStorable([.cacheControl: "max-age=1", .vary: "Accept, *"]))
    #expect(!isStorable([.cacheControl: "max-age=1"], .partialContent))
    #expect(!isStorable([.cacheControl: "max-age=1"], .notModified))
    #expect(!isStorable([.eTag: "\"a\""], .created))
    #expect(!isStorable([.eTag: "\"a\""], .init(code: 599)))
    #expect(!isStorable([.cacheControl: "max-age=1"], .ok, CacheFixture.asked([.cacheControl: "no-store"])))
    #expect(!isStorable([.cacheControl: "max-age=1"], .ok, CacheFixture.asked([:], .noStore)))
    #expect(!isStorable([.cacheControl: "max-age=1"], .ok, CacheFixture.asked(method: .head)))
  }

  @Test func `a stale response stands in for a failure where it was allowed to`() {
    func may(_ response: String, _ request: String = "", age: Double = 20, unreachable: Bool = false) -> Bool {
      CacheDecision.mayServeStale(
        CacheFixture.stored([.cacheControl: response], ago: age),
        for: CacheFixture.asked(request.isEmpty ? [:] : [.cacheControl: request]), now: CacheFixture.now,
        whenUnreachable: unreachable, CacheHeuristics())
    }
    #expect(!may("max-age=10"))
    #expect(may("max-age=10, stale-if-error=10"))
    #expect(!may("max-age=10, stale-if-error=9"))
    #expect(!may("max-age=10, stale-if-error=10, must-revalidate"))
    #expect(!may("max-age=10, stale-if-error=10, no-cache"))
    #expect(may("max-age=10", "stale-if-error=10"))
    #expect(may("max-age=10", unreachable: true))
    #expect(!may("max-age=10, must-revalidate", unreachable: true))
    #expect(!may("max-age=10, stale-if-error=10", "no-cache"))
  }

  @Test func `a refused certificate is no unreachable server`() {
    #expect(!CacheDecision.isUnreachable(Fixture.lost(.serverTrustRefused)))
    #expect(!CacheDecision.isUnreachable(CancellationError()))
    #expect(CacheDecision.isUnreachable(Fixture.lost()))
  }
}
