import CurlewCore
import CurlewSession
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct LineSequenceTests {
  private static let vectors: [([UInt8], [String])] = [
    ([], []),
    (Array("a".utf8), ["a"]),
    (Array("a\n".utf8), ["a"]),
    (Array("a\nb\rc\r\nd".utf8), ["a", "b", "c", "d"]),
    (Array("\n\r\r\n\n".utf8), ["", "", "", ""]),
    (Array("a\n\rb".utf8), ["a", "", "b"]),
    (Array("a\0b\n\0".utf8), ["a\0b", "\0"]),
    (Array("\u{FEFF}a\n\u{FEFF}b".utf8), ["a", "\u{FEFF}b"]),
    (Array("\u{FEFF}".utf8), [""]),
    (Array("a\u{2028}b\u{85}c\n".utf8), ["a\u{2028}b\u{85}c"]),
    ([0x61, 0xFF, 0x0A, 0xC3, 0x0A, 0xE2, 0x82, 0xAC], ["a\u{FFFD}", "\u{FFFD}", "€"]),
    (Array("é\r\nü\r".utf8), ["é", "ü"]),
  ]

  private static func lines(
    _ pieces: [ArraySlice<UInt8>], _ options: LineOptions = LineOptions()
  ) async throws -> [String] {
    let chunks = AsyncStream<Data> { feed in
      for piece in pieces { feed.yield(Data(piece)) }
      feed.finish()
    }
    var lines: [String] = []
    for try await line in chunks.lines(options) { lines.append(line) }
    return lines
  }

  @Test(arguments: vectors) func `lines end with LF, CR or CR LF, wherever a stream is cut`(
    _ bytes: [UInt8], _ expected: [String]
  ) async throws {
    for cut in 0...bytes.count {
      #expect(try await Self.lines([bytes[..<cut], bytes[cut...]]) == expected, "\(cut)")
    }
    #expect(try await Self.lines(bytes.indices.map { bytes[$0...$0] }) == expected)
  }

  @Test func `a line above the limit ends the sequence with an error that names it`() async throws {
    var options = LineOptions()
    options.maximumBytes = 4
    #expect(try await Self.lines([Array("1234\r\n1234".utf8)[...]], options) == ["1234", "1234"])
    for text in ["ok\n12345\nx", "ok\n12345", "ok\n1234567890"] {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        let error = await networkError { _ = try await Self.lines([bytes[..<cut], bytes[cut...]], options) }
        #expect(error?.kind == .lineTooLong && error?.message.contains("line 2") == true, "\(text), \(cut)")
      }
    }
  }

  @Test func `a long line without an end is refused before it is read`() async throws {
    let stub = StubTransport(StubAnswer(body: [.repeated(Data(repeating: 0x61, count: 65_536), count: 1 << 40)]))
    let error = await networkError { for try await _ in HTTPSession(stub).lines("http://h.test/") {} }
    #expect(error?.kind == .lineTooLong)
  }

  @Test func `what a lost connection cut off is no line`() async throws {
    let lost = NetworkError(.connectionLost, stage: .receivingBody, message: "The connection was lost.")
    let stub = StubTransport(StubAnswer(body: [.bytes(Data("one\ntw".utf8)), .failure(lost)]))
    var lines = HTTPSession(stub).lines("http://h.test/").makeAsyncIterator()
    #expect(try await lines.next() == "one")
    #expect(await networkError { _ = try await lines.next() }?.kind == .connectionLost)
    #expect(try await lines.next() == nil)
  }

  @Test func `many lines that end with CR are split in one pass`() {
    var splitter = LineSplitter()
    splitter.append(Data(repeating: 0x0D, count: 1 << 20))
    var count = 0
    while let line = try? splitter.next() { count += line.isEmpty ? 1 : 0 }
    #expect(count == 1 << 20)
  }

  @Test func `the lines of a response are read as they arrive, and an error status is an error`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { asked in
      guard asked.request.url.path == "/log" else { return .text("gone", status: .gone) }
      return StubAnswer(body: [.bytes(Data("one\ntw".utf8)), .wait { try await gate.wait() }, .bytes(Data("o".utf8))])
    }
    let session = HTTPSession(stub)
    var lines = session.lines("http://h.test/log").makeAsyncIterator()
    #expect(try await lines.next() == "one")
    gate.open()
    #expect(try await lines.next() == "two")
    #expect(try await lines.next() == nil)
    #expect(try await lines.next() == nil)

    var gone = session.bytes("http://h.test/").makeAsyncIterator()
    let error = await networkError { _ = try await gone.next() }
    #expect(error?.kind == .unacceptableStatus && error?.details.responseBody == Data("gone".utf8))
    #expect(try await gone.next() == nil)
  }
}
