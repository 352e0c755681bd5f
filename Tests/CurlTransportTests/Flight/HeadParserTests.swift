import CurlewCore
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

@Suite struct HeadParserTests {
  private static let limits = HeadParser.Limits(bytes: 1_000, fields: 5, informational: 2)

  /// Feeds lines and gives what each completed.
  private func feed(_ lines: [String], _ parser: inout HeadParser) -> [HeadParser.Step] {
    lines.map { line in
      var bytes = Array(line.utf8)
      return bytes.withUnsafeMutableBytes { parser.take(UnsafeRawBufferPointer($0)) }
    }
  }

  private func last(_ lines: [String]) -> HeadParser.Step? {
    var parser = HeadParser(Self.limits)
    return feed(lines, &parser).last
  }

  @Test func `a head ends with its empty line`() throws {
    let step = last(["HTTP/1.1 200 OK\r\n", "A: b\r\n", "Content-Length: 5\r\n", "\r\n"])
    guard case .final(let head) = step else { throw Failure(step) }
    #expect(head.code == 200 && head.status.reasonPhrase == "OK" && head.version == .http11 && head.length == 5)
    #expect(head.fields.map { "\($0.name)=\($0.value)" } == ["A=b", "Content-Length=5"])
  }

  @Test func `a field whose value it would take very long to compare is refused, also in trailers`() throws {
    let marks = String(repeating: "\u{301}\u{316}", count: 1_000)
    var parser = HeadParser(HeadParser.Limits(bytes: 20_000, fields: 5, informational: 2))
    let head = ["HTTP/1.1 200 OK\r\n", "ETag: \"a\(marks)\"\r\n"]
    guard case .failed(.headerLimitExceeded, _) = feed(head, &parser).last else { throw Failure(nil) }
    parser = HeadParser(HeadParser.Limits(bytes: 20_000, fields: 5, informational: 2))
    let trailers = ["HTTP/1.1 200 OK\r\n", "\r\n", "A: a\(marks)\r\n"]
    guard case .failed(.headerLimitExceeded, _) = feed(trailers, &parser).last else { throw Failure(nil) }
  }

  @Test func `a status line needs no phrase`() throws {
    for line in ["HTTP/2 204 \r\n", "HTTP/2 204\r\n", "HTTP/1.0 204\n"] {
      let step = last([line, "\r\n"])
      guard case .final(let head) = step else { throw Failure(step) }
      #expect(head.code == 204 && head.status.reasonPhrase == "No Content")
    }
  }

  @Test(arguments: [
    "HTTP/1.10 200 x\r\n", "HTTP/1.1\t200 OK\r\n", "HTTP/2.0 200 OK\r\n", "HTTP/3 200 OK\r\n", "HTTP/1.1x200 OK\r\n",
    "HTTP/1.1 2000 x\r\n", "HTTP/1.1 20 x\r\n", "HTTP/9.9 200 x\r\n", "HTTP/1.1  \r\n", "ICY 200 OK!\r\n", "\r\n",
  ])
  func `what is no status line is refused`(line: String) throws {
    guard case .failed(.protocolViolation, _) = last([line]) else { throw Failure(last([line])) }
  }

  @Test func `informational heads are told apart and counted`() throws {
    var parser = HeadParser(Self.limits)
    let head = ["HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "\r\n"]
    for _ in 0..<2 {
      guard case .informational(let early) = feed(head, &parser).last else { throw Failure(nil) }
      #expect(early.code == 103 && early.fields.count == 1)
    }
    guard case .failed(.headerLimitExceeded, _) = feed(head, &parser).last else { throw Failure(nil) }
  }

  @Test func `a folded line goes on with the field before, behind one space`() throws {
    let step = last(["HTTP/1.1 200 OK\r\n", "A: one\r\n", "\t two  \r\n", "   \r\n", " three\r\n", "\r\n"])
    guard case .final(let head) = step else { throw Failure(step) }
    #expect(head.fields.first?.value == "one two three")
  }

  @Test func `a folded line counts as a field`() throws {
    let lines = ["HTTP/1.1 200 OK\r\n", "A: one\r\n"] + Array(repeating: " two\r\n", count: 5)
    guard case .more = last(lines.dropLast()) else { throw Failure(last(lines.dropLast())) }
    guard case .failed(.headerLimitExceeded, _) = last(lines) else { throw Failure(last(lines)) }
  }

  @Test func `lines behind the final head are trailers`() {
    var parser = HeadParser(Self.limits)
    _ = feed(["HTTP/1.1 200 OK\r\n", "\r\n", "Digest: x\r\n", "Digest: y\r\n"], &parser)
    #expect(parser.trailers.map(\.value) == ["x", "y"])
  }

  @Test(arguments: [
    ["Content-Length: 1\r\n", "Content-Length: 2\r\n"], ["Content-Length: 1, 2\r\n"], ["Content-Length: +1\r\n"],
    ["Content-Length: 1x\r\n"], ["Content-Length: 99999999999999999999\r\n"],
    ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"],
    ["Transfer-Encoding:\r\n", "Content-Length: 5\r\n"], ["Content-Length: 5\r\n", "Transfer-Encoding: ,\r\n"],
    ["Transfer-Encoding: chun ked\r\n"], ["Transfer-Encoding: chunked;q=1\r\n"],
    ["Transfer-Encoding: \"a, chunked\"\r\n"], ["Transfer-Encoding: identity;a\r\n"], ["no colon\r\n"],
    ["bad name: x\r\n"],
    [" folded first\r\n"],
    ["A: \0\r\n"],
  ])
  func `framing that can be read two ways is refused`(fields: [String]) throws {
    var parser = HeadParser(Self.limits)
    let steps = feed(["HTTP/1.1 200 OK\r\n"] + fields + ["\r\n"], &parser)
    guard steps.contains(where: { if case .failed(.protocolViolation, _) = $0 { true } else { false } }) else {
      throw Failure(steps.last)
    }
  }

  @Test func `equal lengths are one`() throws {
    let step = last(["HTTP/1.1 200 OK\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 5\r\n", "\r\n"])
    guard case .final(let head) = step else { throw Failure(step) }
    #expect(head.length == 5)
  }

  @Test func `bytes and fields are counted`() throws {
    guard
      case .failed(.headerLimitExceeded, _) = last([
        "HTTP/1.1 200 OK\r\n", "A: \(String(repeating: "x", count: 999))\r\n",
      ])
    else { throw Failure(nil) }
    let many = ["HTTP/1.1 200 OK\r\n"] + (0..<6).map { "A\($0): x\r\n" } + ["\r\n"]
    var parser = HeadParser(Self.limits)
    guard feed(many, &parser).contains(where: { if case .failed(.headerLimitExceeded, _) = $0 { true } else { false } })
    else { throw Failure(nil) }
  }

  @Test(arguments: ["", "a b", "a\t", "\u{e9}", "a(b"])
  func `a field name is a token`(name: String) {
    guard case .failed(.protocolViolation, _) = last(["HTTP/1.1 200 OK\r\n", "\(name): x\r\n"]) else {
      Issue.record("the name was accepted")
      return
    }
  }

  @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE", "Content-Typf", "X-Other"])
  func `a field name keeps the server's spelling`(name: String) throws {
    guard case .final(let head) = last(["HTTP/1.1 200 OK", "\(name): a/b", ""]) else { throw CancellationError() }
    #expect(head.fields.first?.name.rawName == name)
    #expect(head.fields.first?.name.canonicalName == name.lowercased())
    #expect(head.fields.first?.value == "a/b")
  }

  @Test func `random lines never trap`() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "HTTP/1.1 ", "200", " OK", "\r\n", "A", ":", " ", "\t", "Content-Length", "5", "\0", "\u{ff}",
      "Transfer-Encoding",
    ]
    for _ in 0..<20_000 {
      var parser = HeadParser(Self.limits)
      let lines = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }.joined()
      }
      _ = feed(lines, &parser)
    }
  }

  private struct Failure: Error {
    let step: String
    init(_ step: HeadParser.Step?) { self.step = String(describing: step) }
  }
}
