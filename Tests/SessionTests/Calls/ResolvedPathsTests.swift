import CurlewCore
import CurlewRequests
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSession

@Suite(.timeLimit(.minutes(10))) struct ResolvedPathsTests {
  private func paths() throws -> ResolvedPaths { ResolvedPaths(baseURL: try BaseURL("https://birds.test/v1/")) }

  @Test func `a known path leads where it led, and its requests share the parsed URL`() throws {
    let paths = try paths()
    let first = try paths.request(for: "birds/7")
    let second = try paths.request(for: "birds/7")
    #expect(first.url.absoluteString == "https://birds.test/v1/birds/7" && first.url == second.url)
    #expect(first.parsedURL === second.parsedURL)
    #expect(second.method == .get && second.headerFields.isEmpty && second.body.isEmpty)
  }

  @Test func `paths that Swift takes for equal and a server does not are told apart`() throws {
    let paths = try paths()
    #expect("\u{212A}" == "K" && "e\u{301}" == "\u{E9}")
    for path in ["K", "\u{212A}", "e\u{301}", "\u{E9}", "K"] {
      #expect(try paths.request(for: path).url == BaseURL("https://birds.test/v1/").url(for: path), "\(path)")
    }
  }

  @Test func `what is kept is bounded, and errors and long paths are not kept`() throws {
    let paths = try paths()
    for number in 0..<(ResolvedPaths.mostPaths * 3 + 5) { _ = try paths.request(for: "birds/\(number)") }
    #expect(paths.count == 5)
    for _ in 0..<2 { #expect(throws: NetworkError.self) { try paths.request(for: "a\\b") } }
    let long = String(repeating: "a", count: ResolvedPaths.longestPath + 1)
    #expect(try paths.request(for: long).url.absoluteString.hasSuffix(long))
    #expect(paths.count == 5)
  }
}
