import FoundationEssentials
import Testing

@testable import CurlewSession

/// The event stream format (WHATWG HTML §9.2.5 and §9.2.6), rule by rule.
@Suite(.timeLimit(.minutes(10))) struct EventStreamParserTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var rule: String
    var text: [UInt8]
    var events: [ServerSentEvent]
    var lastEventID: String?
    var retry: Int?
    var testDescription: String { rule }

    init(
      _ rule: String, _ text: String, _ events: [ServerSentEvent] = [], id lastEventID: String? = nil, retry: Int? = nil
    ) {
      self.init(rule, bytes: Array(text.utf8), events, id: lastEventID, retry: retry)
    }

    init(
      _ rule: String, bytes: [UInt8], _ events: [ServerSentEvent] = [], id lastEventID: String? = nil, retry: Int? = nil
    ) {
      self.rule = rule
      text = bytes
      self.events = events
      self.lastEventID = lastEventID ?? events.last?.lastEventID ?? ""
      self.retry = retry
    }
  }

  private static func data(_ data: String, type: String = "message", id: String = "") -> ServerSentEvent {
    ServerSentEvent(type: type, data: data, lastEventID: id)
  }

  static let vectors = [
    // The standard's own examples.
    Vector(
      "messages without a type",
      "data: This is the first message.\n\ndata: This is the second message, it\n"
        + "data: has two lines.\n\ndata: This is the third message.\n\n",
      [
        data("This is the first message."), data("This is the second message, it\nhas two lines."),
        data("This is the third message."),
      ]),
    Vector(
      "messages with a type", "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
      [data("73857293", type: "add"), data("2153", type: "remove"), data("113411", type: "add")]),
    Vector(
      "three lines of data are one event", "data: YHOO\ndata: +2\ndata: 10\n\n", [data("YHOO\n+2\n10")]),
    Vector(
      "four blocks: comment, identifier, identifier without a value, one more space",
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [data("first event", id: "1"), data("second event"), data(" third event")], id: ""),
    Vector(
      "two events and one that is cut off", "data\n\ndata\ndata\n\ndata:", [data(""), data("\n")]),
    Vector("one space behind the colon is ignored", "data:test\n\ndata: test\n\n", [data("test"), data("test")]),
    // Line ends.
    Vector("LF ends a line", "data: a\ndata: b\n\n", [data("a\nb")]),
    Vector("CR ends a line", "data: a\rdata: b\r\r", [data("a\nb")]),
    Vector("CR LF ends a line", "data: a\r\ndata: b\r\n\r\n", [data("a\nb")]),
    Vector("ends can be mixed", "data: a\r\ndata: b\rdata: c\n\r\n", [data("a\nb\nc")]),
    Vector("CR LF is one end", "data: a\r\n\r\ndata: b\r\n\r\n", [data("a"), data("b")]),
    Vector("LF CR are two ends", "data: a\n\rdata: b\n\r", [data("a"), data("b")]),
    Vector(
      "other separators of lines are characters", "data: a\u{2028}b\u{85}c\u{B}d\u{C}e\n\n",
      [data("a\u{2028}b\u{85}c\u{B}d\u{C}e")]),
    // The byte order mark.
    Vector("one byte order mark at the start is ignored", "\u{FEFF}data: a\n\n", [data("a")]),
    Vector("a second one belongs to the name", "\u{FEFF}\u{FEFF}data: a\n\n"),
    Vector("one in a later line belongs to the name", "\n\u{FEFF}data: a\n\n"),
    Vector("one in a value is a character", "data: \u{FEFF}a\n\n", [data("\u{FEFF}a")]),
    // Names and values.
    Vector("a comment is ignored", ":data: a\n:\n: data: b\ndata: c\n\n", [data("c")]),
    Vector("a line without a colon is a name", "data\n\n", [data("")]),
    Vector("the value may have colons", "data: a:b: c\n\n", [data("a:b: c")]),
    Vector("a tab behind the colon belongs to the value", "data:\ta\n\n", [data("\ta")]),
    Vector("a space in front of the name belongs to it", " data: a\n\n"),
    Vector("a space behind the name belongs to it", "data : a\n\n"),
    Vector("names are case-sensitive", "Data: a\nDATA: b\nEvent: x\n\n"),
    Vector("unknown names are ignored", "date: a\ndatas: b\ndata: c\n\n", [data("c")]),
    Vector("the last type counts", "event: a\nevent: b\ndata: x\n\n", [data("x", type: "b")]),
    Vector("an empty type is `message`", "event: a\nevent:\ndata: x\n\n", [data("x")]),
    Vector("a type belongs to one event", "event: a\ndata: x\n\ndata: y\n\n", [data("x", type: "a"), data("y")]),
    Vector("a type without data is forgotten", "event: a\n\ndata: y\n\n", [data("y")]),
    Vector("NUL is a character of data and types", "event: a\0b\ndata: c\0d\n\n", [data("c\0d", type: "a\0b")]),
    Vector(
      "bytes that are not UTF-8 are replaced",
      bytes: Array("data: a".utf8) + [0xFF, 0xE2, 0x82] + Array("\n\n".utf8), [data("a\u{FFFD}\u{FFFD}")]),
    Vector(
      "a character may be cut by a line's end", bytes: Array("data: ".utf8) + [0xE2, 0x82, 0x0A, 0x0A],
      [data("\u{FFFD}")]),
    // Empty data.
    Vector("no data, no event", "event: a\nid: 1\n\n", id: "1"),
    Vector("empty data is an event", "data:\n\n", [data("")]),
    Vector("two empty lines of data are one LF", "data\ndata\n\n", [data("\n")]),
    Vector("many empty lines are one end", "data: a\n\n\n\n\ndata: b\n\n", [data("a"), data("b")]),
    // Identifiers.
    Vector(
      "an identifier stays until there is another", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n",
      [data("a", id: "1"), data("b", id: "1"), data("c", id: "2")]),
    Vector(
      "an identifier with NUL is ignored", "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n",
      [data("a", id: "1"), data("b", id: "1")]),
    Vector("an empty identifier removes it", "id: 1\ndata: a\n\nid:\ndata: b\n\n", [data("a", id: "1"), data("b")]),
    Vector(
      "an identifier counts at the end of its event", "id: 1\ndata: a\n\nid: 2\ndata: b\n", [data("a", id: "1")],
      id: "1"),
    Vector("an identifier may have spaces and letters", "id: a ö\ndata\n\n", [data("", id: "a ö")]),
    // Reconnection times.
    Vector("digits set the time", "retry: 250\n\n", retry: 250),
    Vector("zero is a time", "retry:0\n", retry: 0),
    Vector("leading zeros are digits", "retry: 0010\n", retry: 10),
    Vector("it counts at once", "retry: 250\ndata: a\n", retry: 250),
    Vector(
      "anything but digits is ignored", "retry: 5\nretry: 1.5\nretry: -1\nretry: 1s\nretry:  7\nretry: ٣\n", retry: 5),
    Vector("no digits are ignored", "retry: 5\nretry\nretry:\nretry: \n", retry: 5),
    Vector("very many digits are a year", "retry: 99999999999999999999999999\n", retry: 366 * 86_400_000),
    // The end.
    Vector("an event without its empty line is none", "data: a\n\ndata: b\n", [data("a")]),
    Vector("a line without its end is none", "data: a\n\ndata: b", [data("a")]),
    Vector("nothing is no event", ""),
  ]

  /// The events of a stream in pieces.
  private static func read(
    _ pieces: [ArraySlice<UInt8>], limits: EventStreamLimits = EventStreamLimits()
  ) throws
    -> (events: [ServerSentEvent], parser: EventStreamParser)
  {
    var parser = EventStreamParser(limits: limits)
    var events: [ServerSentEvent] = []
    for piece in pieces {
      parser.append(Data(piece))
      while let event = try parser.next() { events.append(event) }
    }
    return (events, parser)
  }

  private static func check(_ vector: Vector, _ pieces: [ArraySlice<UInt8>]) throws {
    let (events, parser) = try read(pieces)
    #expect(events == vector.events, "\(vector.rule), \(pieces.map(\.count))")
    #expect(parser.lastEventID == vector.lastEventID, "\(vector.rule)")
    #expect(parser.reconnectionTime == vector.retry.map { .milliseconds($0) }, "\(vector.rule)")
  }

  @Test func `a type or an identifier that it would take very long to compare is ignored`() throws {
    let marks = "a" + String(repeating: "\u{301}\u{316}", count: 1_000)
    var parser = EventStreamParser()
    parser.append(Data("id: 1\nevent: b\nid: \(marks)\nevent: \(marks)\ndata: \(marks)\n\n".utf8))
    let event = try #require(try parser.next())
    #expect(event.type == "b" && event.lastEventID == "1" && event.data.utf8.elementsEqual(marks.utf8))
  }

  @Test(arguments: vectors) func `a stream is read as the standard says, wherever it is cut`(_ vector: Vector) throws {
    try Self.check(vector, [vector.text[...]])
    for cut in 0...vector.text.count {
      try Self.check(vector, [vector.text[..<cut], vector.text[cut...]])
    }
    try Self.check(vector, vector.text.indices.map { vector.text[$0...$0] })
  }

  @Test func `a parser that continues knows where it was`() throws {
    var parser = EventStreamParser(lastEventID: "41")
    parser.append(Data("data: a\n\nid: 42\ndata: b\n\n".utf8))
    #expect(try parser.next() == Self.data("a", id: "41"))
    #expect(try parser.next() == Self.data("b", id: "42"))
    #expect(try parser.next() == nil)
  }

  @Test func `a line or an event above its limit is refused, and reading continues behind that event`() throws {
    var limits = EventStreamLimits()
    limits.maximumLineBytes = 10
    limits.maximumEventBytes = 8
    for (text, error) in [
      ("data: 12345\nid: 9\n\n", EventStreamError.lineTooLong(LineTooLongError(number: 1, limit: 10))),
      ("data: 123\ndata: 123\ndata: 1\n\n", .eventTooLarge(limit: 8)),
    ] {
      for cut in 0...text.utf8.count {
        var parser = EventStreamParser(limits: limits)
        var events: [ServerSentEvent] = []
        var errors: [EventStreamError] = []
        for piece in [text.utf8.prefix(cut), (text + "data: ok\n\n").utf8.dropFirst(cut)] {
          parser.append(Data(piece))
          var isDone = false
          while !isDone {
            do throws(EventStreamError) {
              if let event = try parser.next() { events.append(event) } else { isDone = true }
            } catch {
              errors.append(error)
            }
          }
        }
        #expect(errors == [error], "\(cut)")
        #expect(events == [Self.data("ok")], "\(cut)")
      }
    }
    let exact = try Self.read([Array("data: 123\ndata: 123\n\n".utf8)[...]], limits: limits)
    #expect(exact.events == [Self.data("123\n123")])
  }

  /// `CURLEW_MUTATIONS` sets the number; `Scripts/soak` takes a million.
  private static let mutations =
    ProcessInfo.processInfo.environment["CURLEW_MUTATIONS"].flatMap(Int.init) ?? 20_000

  @Test func `any bytes are a stream, and where it is cut changes nothing`() throws {
    var generator = SeededGenerator(seed: 18)
    let alphabet = Array("data:event:id:retry: 0\r\n\n\r\u{FEFF}é\0".utf8) + [0xFF, 0xE2]
    for _ in 0..<Self.mutations {
      var bytes = Self.vectors[Int.random(in: 0..<Self.vectors.count, using: &generator)].text
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        let place = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes.insert(byte, at: place)
        case 1 where place < bytes.count: bytes[place] = byte
        default: if place < bytes.count { bytes.remove(at: place) }
        }
      }
      let cut = Int.random(in: 0...bytes.count, using: &generator)
      let whole = try Self.read([bytes[...]])
      let pieces = try Self.read([bytes[..<cut], bytes[cut...]])
      guard
        whole.events == pieces.events, whole.parser.lastEventID == pieces.parser.lastEventID,
        whole.parser.reconnectionTime == pieces.parser.reconnectionTime,
        whole.events == ReferenceStream.events(of: bytes)
      else {
        Issue.record("cut at \(cut): \(bytes)")
        return
      }
    }
  }
}

/// A generator that gives the same numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
