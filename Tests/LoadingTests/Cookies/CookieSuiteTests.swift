import CurlewCore
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Testing

/// The IETF http-state working group's cases, at the time of whose writing 2019 was the future.
@Suite(.timeLimit(.minutes(10))) struct CookieSuiteTests {
  private static let folder = {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return "/" + root + "/../shared/data/cookies/data/parser"
  }()

  static let names: [String] = {
    let all = (try? LocalFileSystem().list(folder)) ?? []
    return all.filter { $0.hasSuffix("-test") }.map { String($0.dropLast(5)) }.sorted()
  }()

  @Test(.enabled(if: !names.isEmpty, "There is no shared/data/cookies beside the package."), arguments: names)
  func `each case of the http-state suite sends what it expects`(name: String) throws {
    let lines = try text("\(name)-test").split(whereSeparator: \.isNewline)
    let url = try #require(URL(string: "http://home.example.org:8888/cookie-parser?\(name)"))
    let date = Date(timeIntervalSince1970: 1_293_840_000)
    let jar = MemoryCookieJar()
    var target = try #require(URL(string: "http://home.example.org:8888/cookie-parser-result?\(name)"))
    for line in lines {
      if let value = value("Set-Cookie:", line) {
        jar.store([value], from: CookieContext(url: url, date: date))
      } else if let location = value("Location:", line) {
        target = try #require(URL(string: location, relativeTo: url)?.absoluteURL)
      }
    }
    let sent = jar.cookies(for: CookieContext(url: target, date: date)).map(\.pair).joined(separator: "; ")
    let expected = try text("\(name)-expected").split(whereSeparator: \.isNewline).first.flatMap {
      value("Cookie:", $0)
    }
    #expect(sent == expected ?? "")
  }

  private func value(_ name: String, _ line: Substring) -> String? {
    guard line.hasPrefix(name) else { return nil }
    let rest = line.dropFirst(name.count)
    return String(rest.first == " " ? rest.dropFirst() : rest)
  }

  private func text(_ name: String) throws -> String {
    let file = try LocalFileSystem().open(Self.folder + "/" + name, .read)
    var bytes = [UInt8](repeating: 0, count: Int(try file.length()))
    // Safe because the buffer is used within the call alone.
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
