import CurlewJSON
import FoundationEssentials
import Testing

struct FramerTests {
  /// What a framer makes of a stream cut into chunks: texts and errors in order.
  private func frame(
    _ stream: String, _ framing: JSONFraming, chunk: Int, options: JSONRecordOptions = JSONRecordOptions()
  ) -> [String] {
    var framer = JSONRecordFramer(framing, options: options)
    var result: [String] = []
    func drain() {
      while true {
        do {
          guard let record = try framer.next() else { return }
          result.append("\(record.number)@\(record.offset) " + String(decoding: record.bytes, as: UTF8.self))
        } catch {
          result.append("\(error.number)@\(error.offset) error: \(error.kind.self)")
        }
      }
    }
    var rest = Data(stream.utf8)[...]
    while !rest.isEmpty {
      framer.append(Data(rest.prefix(chunk)))
      rest = rest.dropFirst(chunk)
      drain()
    }
    framer.finish()
    drain()
    drain()
    return result
  }

  @Test(arguments: [1, 2, 3, 7, 1000]) func `lines are found however the stream is cut`(_ chunk: Int) {
    let stream = "{\"a\":1}\n[2]\r\n\n  \t\r\n\"three\"\n4"
    #expect(frame(stream, .lines, chunk: chunk) == ["1@0 {\"a\":1}", "2@8 [2]", "5@19 \"three\"", "6@27 4"])
    #expect(frame("1\n", .lines, chunk: chunk) == ["1@0 1"])
    #expect(frame("", .lines, chunk: chunk) == [])
    #expect(frame("\n", .lines, chunk: chunk) == [])
  }

  @Test(arguments: [1, 2, 5, 1000]) func `a line that is too long is an error and the next one is read`(_ chunk: Int) {
    var options = JSONRecordOptions()
    options.maximumRecordBytes = 4
    let result = frame("1234\n12345\n1\n" + String(repeating: "x", count: 99), .lines, chunk: chunk, options: options)
    #expect(
      result == [
        "1@0 1234", "2@5 error: \(JSONRecordError.Kind.tooLong)", "3@11 1",
        "4@13 error: \(JSONRecordError.Kind.tooLong)",
      ])
  }

  @Test(arguments: [1, 1000]) func `blank lines are refused when that is asked for`(_ chunk: Int) {
    var options = JSONRecordOptions()
    options.blankRecords = .refuse
    #expect(
      frame("1\n\n2\n", .lines, chunk: chunk, options: options) == [
        "1@0 1", "2@2 error: \(JSONRecordError.Kind.blank)", "3@3 2",
      ])
  }

  @Test(arguments: [1, 2, 3, 1000]) func `text sequences are cut at record separators`(_ chunk: Int) {
    let stream = "\u{1E}{\"a\":\n1}\n\u{1E}\u{1E}[2]\u{1E}3\n\u{1E}"
    #expect(frame(stream, .textSequence, chunk: chunk) == ["1@1 {\"a\":\n1}\n", "2@12 [2]", "3@16 3\n"])
  }

  @Test(arguments: [1, 1000]) func `a number or word without white space behind it may be cut off`(_ chunk: Int) {
    let truncated = JSONRecordError.Kind.truncated
    #expect(
      frame("\u{1E}12\u{1E}true\n\u{1E}nul", .textSequence, chunk: chunk) == [
        "1@1 error: \(truncated)", "2@4 true\n", "3@10 error: \(truncated)",
      ])
  }

  @Test(arguments: [1, 1000]) func `what comes before the first record separator is an error`(_ chunk: Int) {
    let missing = JSONRecordError.Kind.missingSeparator
    #expect(frame("[1]\n\u{1E}[2]\n", .textSequence, chunk: chunk) == ["1@0 error: \(missing)", "1@5 [2]\n"])
    #expect(frame("[1]", .textSequence, chunk: chunk) == ["1@0 error: \(missing)"])
    #expect(frame(" \n\u{1E}[2]\n", .textSequence, chunk: chunk) == ["1@3 [2]\n"])
  }

  @Test func `a record written is a record read`() throws {
    let value: JSONValue = ["a": ["\n", 1]]
    for framing in [JSONFraming.lines, .textSequence] {
      var framer = JSONRecordFramer(framing)
      framer.append(framing.record(value) + framing.record(7))
      #expect(try JSONValue(parsing: #require(try framer.next()).bytes) == value)
      #expect(
        try JSONValue(
          parsing: #require(
            try framer.next()
              ?? {
                framer.finish()
                return try framer.next()
              }()
          ).bytes) == 7)
    }
  }
}
