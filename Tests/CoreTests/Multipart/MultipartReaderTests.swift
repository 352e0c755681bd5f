import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

struct MultipartReaderTests {
  /// Reads a body whole and in single bytes, and expects the same of both.
  private func outcome(
    _ body: String, boundary: String = "b", limits: MultipartReader.Limits = MultipartReader.Limits()
  ) -> MultipartOutcome {
    let bytes = Data(body.utf8)
    let whole = MultipartOutcome(bytes, boundary: boundary, chunks: [max(1, bytes.count)], limits: limits)
    #expect(MultipartOutcome(bytes, boundary: boundary, chunks: [1], limits: limits) == whole)
    return whole
  }

  private func bodies(_ outcome: MultipartOutcome) -> [String] {
    outcome.parts.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `preamble and epilogue are dropped`() {
    let read = outcome("This is MIME.\r\n--bc\r\n\r\n--b\r\n\r\none\r\n--b--\r\nepilogue\r\n--b\r\n\r\nnot a part")
    #expect(bodies(read) == ["one"])
    #expect(read.isFinished && read.error == nil)
  }

  @Test func `a part may be empty and may have no header`() {
    let read = outcome("--b\r\n\r\n--b\r\nA: 1\r\n\r\n--b\r\n\r\n\r\n--b--")
    #expect(bodies(read) == ["", "", ""])
    #expect(read.parts.map(\.isComplete) == [true, true, true])
    #expect(read.parts.map(\.fields.count) == [0, 1, 0])
  }

  @Test func `blanks after the boundary are allowed, other text makes the line content`() {
    let read = outcome("--b \t \r\n\r\nx\r\n--b z\r\n--bb\r\n--b-\r\n--b \r\n\r\ny\r\n--b--")
    #expect(bodies(read) == ["x\r\n--b z\r\n--bb\r\n--b-", "y"])
  }

  @Test func `the first delimiter line decides about line breaks`() {
    let lines = outcome("--b\r\n\r\nx\n--b\n\ny\r\n--b\n\r\n--b--")
    #expect(bodies(lines) == ["x\n--b\n\ny\r\n--b\n"])
    let bare = outcome("--b\nA: 1\nB: 2\r\n\nx\r\n--b\n\ny\n--b--")
    #expect(bodies(bare) == ["x\r", "y"])
    #expect(bare.parts.first?.fields[.init("B")!] == "2")
    #expect(outcome("--b\r\nA: 1\n\r\nx\r\n--b--").error == MultipartError(.invalidLineBreak, at: 9))
  }

  @Test func `a value over more lines is one value and blanks around it go`() {
    let read = outcome("--b\r\nContent-Type: \t text/plain; \r\n  charset=utf-8 \r\n\t\r\n\r\n--b--")
    #expect(read.parts.first?.fields[.contentType] == "text/plain; charset=utf-8")
    #expect(outcome("--b\r\n A: 1\r\n\r\n\r\n--b--").error?.kind == .invalidFieldName)
  }

  @Test func `a field value keeps bytes that are not UTF-8`() {
    let body = Data("--b\r\nA: ".utf8) + [0xE4, 0xFF] + Data("\r\n\r\n\r\n--b--".utf8)
    let field = MultipartOutcome(body, boundary: "b", chunks: [4]).parts.first?.fields.first
    #expect(field?.withUnsafeBytesOfValue { Array($0) } == [0xE4, 0xFF])
  }

  @Test(arguments: [
    ("A\r\n", MultipartError.Kind.invalidFieldName, 1), ("A b: 1\r\n", .invalidFieldName, 1),
    ("A : 1\r\n", .invalidFieldName, 1), (":1\r\n", .invalidFieldName, 0), ("A: \u{0}\r\n", .invalidFieldValue, 3),
    ("A: 1\r2\r\n", .invalidLineBreak, 5), ("\rA: 1\r\n", .invalidLineBreak, 1), ("A: 1\n", .invalidLineBreak, 4),
    ("Ä: 1\r\n", .invalidFieldName, 0), ("A: \u{7F}\r\n", .invalidFieldValue, 3),
  ])
  func `a header that is malformed is refused at the byte that is wrong`(
    header: String, kind: MultipartError.Kind, position: Int
  ) {
    let read = outcome("--b\r\n" + header + "\r\nx\r\n--b--")
    #expect(read.error == MultipartError(kind, at: position + 5))
    #expect(read.parts.isEmpty)
  }

  @Test func `a body that is cut anywhere is an error, and so is one without its boundary`() {
    let body = "--b\r\nA: 1\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--"
    for length in 0..<body.utf8.count {
      let cut = outcome(String(decoding: Array(body.utf8)[..<length], as: UTF8.self))
      #expect(cut.error == MultipartError(length < 5 ? .missingDelimiter : .truncated, at: length))
      #expect(!cut.isFinished)
    }
    #expect(outcome(body).error == nil)
    #expect(outcome("no boundary here\r\n").error?.kind == .missingDelimiter)
  }

  @Test func `a body without parts is accepted only when it begins with the closing delimiter`() {
    #expect(outcome("--b--\r\n").isFinished)
    #expect(outcome("\r\n--b--").isFinished)
    #expect(outcome("x\r\n--b--").error == MultipartError(.missingDelimiter, at: 2))
  }

  @Test func `the closing delimiter is seen before the body ends, and nothing is read after it`() throws {
    var reader = try MultipartReader(boundary: "b")
    reader.feed(Data("--b\r\n\r\nx\r\n--b--".utf8))
    var events: [MultipartReader.Event] = []
    while let event = try reader.next() { events.append(event) }
    #expect(events == [.partBegan([:]), .body(Data("x".utf8)), .partEnded, .finished])
    #expect(reader.isFinished)
    reader.feed(Data("\r\n--b\r\n\r\nx".utf8))
    reader.end()
    #expect(try reader.next() == nil)
  }

  @Test func `an error stays`() throws {
    var reader = try MultipartReader(boundary: "b")
    reader.feed(Data("--b\r\n!\r\n".utf8))
    let error = MultipartError(.invalidFieldName, at: 6)
    #expect(throws: error) { try reader.next() }
    reader.feed(Data("A: 1\r\n\r\n--b--".utf8))
    #expect(throws: error) { try reader.next() }
  }

  @Test func `a chunk that is content as a whole is handed on, and indices begin at 0`() throws {
    var reader = try MultipartReader(boundary: "b")
    reader.feed(Data("--b\r\n\r\n".utf8))
    #expect(try reader.next() == .partBegan([:]))
    let chunk = Data(repeating: 0x2D, count: 100_000)
    reader.feed(chunk[10...])
    guard case .body(let bytes)? = try reader.next() else {
      Issue.record("no body")
      return
    }
    #expect(bytes.startIndex == 0 && bytes.count == 99_990)
    #expect(try reader.next() == nil)
  }

  @Test(arguments: [
    "", " ", "a ", "a\u{22}b", "ä", "a\r\n", String(repeating: "a", count: 71), "a\\", "a;b", "a*",
  ])
  func `a boundary outside the grammar is refused`(boundary: String) {
    #expect(throws: MultipartError.self) { try MultipartReader(boundary: boundary) }
  }

  @Test(arguments: ["a", "a b", "0'()+_,-./:=?Z", String(repeating: "a", count: 70)])
  func `a boundary of the grammar is taken`(boundary: String) {
    let read = outcome("--\(boundary)\r\n\r\nx\r\n--\(boundary)--", boundary: boundary)
    #expect(bodies(read) == ["x"])
  }

  @Test func `each limit refuses the first byte beyond it and nothing at it`() {
    func check(_ body: String, _ kind: MultipartError.Kind, at most: Int, _ limits: (Int) -> MultipartReader.Limits) {
      #expect(outcome(body, limits: limits(most)).error == nil, "\(kind)")
      #expect(outcome(body, limits: limits(most - 1)).error?.kind == kind, "\(kind)")
    }
    check("12345\r\n--b\r\n\r\n\r\n--b--", .preambleTooLong, at: 6) { .init(preambleBytes: $0) }
    check("--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--", .tooManyParts, at: 2) { .init(parts: $0) }
    check("--b\r\nA: 1\r\nBB: 2\r\n\r\n\r\n--b--", .headerTooLong, at: 15) { .init(headerBytes: $0) }
    check("--b\r\nA: 1\r\nBB: 2\r\n c\r\n\r\n\r\n--b--", .tooManyFields, at: 2) { .init(headerFields: $0) }
    check("--b   \r\n\r\nx\r\n--b  \r\n\r\n\r\n--b--", .paddingTooLong, at: 3) { .init(paddingBytes: $0) }
    check("--b\r\n\r\nx\r\n--b  \r\n\r\n\r\n--b--", .paddingTooLong, at: 2) { .init(paddingBytes: $0) }
  }

  @Test func `what never ends is refused in constant memory`() {
    func outcome(_ start: String, _ filler: UInt8) -> MultipartOutcome {
      MultipartOutcome(Data(start.utf8) + Data(repeating: filler, count: 100_000), boundary: "b", chunks: [997])
    }
    #expect(outcome("", 0x20).error?.kind == .preambleTooLong)
    #expect(outcome("--b\r\nA: ", 0x20).error?.kind == .headerTooLong)
    #expect(outcome("--b\r\n\r\nx\r\n--b", 0x20).error?.kind == .paddingTooLong)
    #expect(outcome("--b\r\n\r\nx\r\n", 0x2D).error?.kind == .truncated)
  }

  @Test func `ranges of a resource come as parts (RFC 9110 §15.3.7)`() {
    let read = outcome(
      """
      --THIS_STRING_SEPARATES\r
      Content-Type: application/pdf\r
      Content-Range: bytes 500-504/8000\r
      \r
      first\r
      --THIS_STRING_SEPARATES\r
      Content-Type: application/pdf\r
      Content-Range: bytes 7000-7005/8000\r
      \r
      second\r
      --THIS_STRING_SEPARATES--\r

      """, boundary: "THIS_STRING_SEPARATES")
    #expect(bodies(read) == ["first", "second"])
    #expect(read.parts.compactMap { $0.fields[.contentRange] } == ["bytes 500-504/8000", "bytes 7000-7005/8000"])
    #expect(read.isFinished)
  }

  @Test func `a stream of replacements gives each part when the next delimiter arrives`() throws {
    var reader = try MultipartReader(boundary: "frame")
    var ended = 0
    for number in 0..<5 {
      reader.feed(Data("\(number == 0 ? "" : "\r\n")--frame\r\nContent-Type: image/jpeg\r\n\r\n\(number)".utf8))
      while let event = try reader.next() {
        if event == .partEnded { ended += 1 }
      }
      #expect(ended == number)
    }
    reader.end()
    #expect(throws: MultipartError.self) { try reader.next() }
  }

  @Test func `no more is kept of a body than what may begin a delimiter`() throws {
    var source = FieldFuzz(seed: 7578, near: [])
    var reader = try MultipartReader(boundary: "boundaryQZ")
    reader.feed(Data("--boundaryQZ\r\n\r\n".utf8))
    var fed = 16
    for _ in 0..<5000 {
      let chunk = Data(source.bytes(from: ["\r\n--boundary", "\r\n--", "\r", " ", "text", "-"], pieces: 8))
      reader.feed(chunk)
      fed += chunk.count
      while try reader.next() != nil {}
      #expect(fed - reader.position <= 14)
    }
  }

  @Test func `a boundary beyond RFC 2046 is read where the limit is raised`() {
    let boundary = String(repeating: "ab", count: 200)
    let body = "--\(boundary)\r\n\r\n\(boundary)\r\n--\(boundary.dropLast())c\r\n--\(boundary)--"
    let read = outcome(body, boundary: boundary, limits: MultipartReader.Limits(boundaryCharacters: 400))
    #expect(bodies(read) == ["\(boundary)\r\n--\(boundary.dropLast())c"])
  }

  @Test func `no bytes trap, and the result does not depend on the chunks`() {
    var source = FieldFuzz(seed: 2046, near: [])
    let vocabulary = [
      "--b", "--b", "--b\r\n", "\r\n--b", "\r\n--b\r\n", "\r\n--b--", "\n--b\n", "--", "-", "\r", "\n", "\r\n",
      "\r\n\r\n",
      "A: 1\r\n", "B:\r\n", " ", "\t", "x", "text", ":", "--bb",
    ]
    var finished = 0
    for round in 0..<100_000 {
      let body = Data(
        (round.isMultiple(of: 2) ? Array("--b\r\n\r\n".utf8) : []) + source.bytes(from: vocabulary, pieces: 14))
      let limits = MultipartReader.Limits(
        preambleBytes: 12, parts: 3, headerBytes: 20, headerFields: 2, paddingBytes: 2)
      let whole = MultipartOutcome(body, boundary: "b", chunks: [max(1, body.count)], limits: limits)
      let sizes = [Int.random(in: 1...3, using: &source), Int.random(in: 1...9, using: &source)]
      let cut = MultipartOutcome(body, boundary: "b", chunks: sizes, limits: limits)
      if cut != whole { Issue.record("\(String(decoding: body, as: UTF8.self).debugDescription) in \(sizes)") }
      if whole.isFinished { finished += 1 }
    }
    #expect(finished > 1000)
  }
}
