import CurlewCore
import CurlewLoading
import FoundationEssentials
import Testing

/// The definitions of github.com/http-tests/cache-tests, played through `Caching` as a private cache.
///
/// `score` keeps the score; a run that differs from it prints its own.
@Suite(.timeLimit(.minutes(10))) struct CacheTestsSuite {
  /// The required and optimal cases for private caches that are not passed, and why not.
  static let explained: [String: String] = [
    "partial-store-partial-reuse-partial-absent": """
    Its 206 says bytes 4-9 and carries five bytes in place of six; it wants the bytes from 6 to the end, of which the \
    last never came.
    """,
    "partial-store-partial-complete": """
    It wants the rest of a response to be asked for whose parts have no validator; RFC 9111 §3.4 lets parts be joined \
    only by a strong one, so that the rest would be of no use.
    """,
  ]

  @Test(arguments: CacheFixture.Store.allCases)
  func `every case for private caches passes but those that are explained`(_ choice: CacheFixture.Store) async throws {
    guard let tests = try CacheTestDefinition.all() else {
      try Test.cancel("shared/data/cache-tests is not beside the package")
    }
    var score: [String] = []
    for kind in ["required", "optimal", "check"] {
      let cases = tests.filter { $0.isForPrivateCaches && ($0.kind ?? "required") == kind }
      var lines: [String] = []
      for test in cases {
        switch await CacheTestRun(test, try choice.make()).outcome() {
        case .passed: continue
        case .failed(let check): lines.append("  no: \(test.id): \(check)")
        case .notSetUp(let check): lines.append("  not set up: \(test.id): \(check)")
        }
        if kind != "check" { #expect(Self.explained[test.id] != nil, "\(test.id) fails: \(lines.last ?? "")") }
      }
      score.append("\(kind): \(cases.count - lines.count) of \(cases.count)")
      score += lines
    }
    let text = score.joined(separator: "\n") + "\n"
    #expect(Self.score == text, "The score is now:\n\(text)")
  }
}
