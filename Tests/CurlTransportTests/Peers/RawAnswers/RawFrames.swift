import CurlewTestHarness
import CurlewTestSupport

/// An answer over HTTP/2, frame by frame, and what a careful client makes of it (RFC 9113).
struct RawFrames: Sendable {
  enum Outcome: Sendable {
    /// A response with this body.
    case body(String, status: Int = 200)
    /// An error.
    case fails
    /// Either: the libraries limit floods, and the limits differ.
    case bodyOrFails(String)
  }

  let name: String
  let outcome: Outcome
  /// The steps on a stream of a number.
  let steps: @Sendable (Int) -> [FrameStep]

  init(_ name: String, _ outcome: Outcome, _ steps: @escaping @Sendable (Int) -> [FrameStep]) {
    self.name = name
    self.outcome = outcome
    self.steps = steps
  }

  static let all: [RawFrames] = [resets, ends, floods, heads, oddHeads, frames, breaks].flatMap { $0 }

  /// 50,000 bytes that do not end the stream.
  private static let some = FrameStep.content(String(repeating: "x", count: 50_000))
  private static let long = FrameStep.head(200, ["content-length": "100000"])

  /// A stream that is reset with each code, before, in and behind its parts.
  private static let resets: [RawFrames] = ([0, 1, 2, 3, 5, 7, 8, 11, 13] as [UInt32]).flatMap {
    number -> [RawFrames] in
    let code = FrameError(rawValue: number)
    let places: [(String, [FrameStep])] = [
      ("before the head", []), ("behind the head", [.head(200)]), ("behind a head with a length", [long]),
      ("in the body", [.head(200), some]), ("in a body with a length", [long, some]),
      ("behind an empty frame", [.head(200), .content("")]),
      ("behind trailers that do not end", [.head(200), some, .section([("x-t", "1")])]),
    ]
    let reset = places.map { name, steps in
      RawFrames("reset with \(number) \(name)", .fails) { _ in steps + [.reset(code)] }
    }
    let behind = RawFrames("reset with \(number) behind the end", .body("complete")) { _ in
      [.head(200), .content("complete", ends: true), .reset(code)]
    }
    return reset + (number == 0 || number == 8 ? [behind] : [])
  }

  /// A connection that ends.
  private static let ends: [RawFrames] = [
    RawFrames("in order", .body("fine")) { _ in
      [.head(200, ["content-length": "4"]), .content("fine", ends: true)]
    },
    RawFrames("GOAWAY in the body", .body("ab")) { _ in
      [.head(200), .content("a"), .goAway(), .content("b", ends: true)]
    },
    RawFrames("GOAWAY and a close in the body", .fails) { _ in [.head(200), .content("a"), .goAway(), .close()] },
    RawFrames("a close in the body", .fails) { _ in [.head(200), .content("a"), .close()] },
    RawFrames("an untold close in the body", .fails) { _ in [.head(200), .content("a"), .close(notified: false)] },
    RawFrames("GOAWAY below", .fails) { _ in [.goAway(lastStream: 0), .close()] },
    RawFrames("GOAWAY below with an error", .fails) { _ in [.goAway(lastStream: 0, .enhanceYourCalm), .close()] },
  ]

  private static let floods: [RawFrames] = [
    RawFrames("GOAWAY 2,000 times", .bodyOrFails("ok")) { _ in
      answer(Array(repeating: .goAway(lastStream: Int(Int32.max)), count: 2_000))
    },
    RawFrames("PING 5,000 times", .bodyOrFails("ok")) { _ in
      answer(Array(repeating: .frame(6, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]), count: 5_000))
    },
    RawFrames("SETTINGS 5,000 times", .bodyOrFails("ok")) { _ in
      answer(Array(repeating: .frame(4, stream: 0, [0, 4, 0, 1, 0, 0]), count: 5_000))
    },
    RawFrames("empty frames", .bodyOrFails("ok")) { _ in answer(Array(repeating: .content(""), count: 5_000)) },
    RawFrames("padding", .body("ok")) { stream in
      let padding = [255] + [UInt8](repeating: 0, count: 255)
      return answer(Array(repeating: .frame(0, flags: 8, stream: stream, padding), count: 200))
    },
    RawFrames("CONTINUATION without end", .fails) { stream in
      var steps: [FrameStep] = [.frame(1, stream: stream, [0x88])]
      steps += Array(repeating: .frame(9, stream: stream), count: 5_000)
      return steps
    },
    RawFrames("5,000 fields", .fails) { _ in
      let fields = (0..<5_000).map { ("x-\($0)", "v") }
      return [.section(ok() + fields), .content("ok", ends: true)]
    },
    RawFrames("150 informational heads", .fails) { _ in
      var steps: [FrameStep] = Array(repeating: .head(103), count: 150)
      steps += answer([])
      return steps
    },
  ]

  /// A 200 with a body of two bytes, and other frames between them.
  private static func answer(_ middle: [FrameStep]) -> [FrameStep] {
    var steps: [FrameStep] = [.head(200)]
    steps += middle
    steps.append(.content("ok", ends: true))
    return steps
  }

  private static let heads: [RawFrames] = invalidHeads.map { name, fields in
    RawFrames(name, .fails) { _ in [.section(fields), .content("ok", ends: true)] }
  }

  private static let invalidHeads: [(String, [(String, String)])] = [
    ("101", [(":status", "101")]), ("no status", [("a", "b")]), ("status 99", [(":status", "99")]),
    ("status 1000", [(":status", "1000")]), ("status 2x0", [(":status", "2x0")]),
    ("two lengths", ok(("content-length", "2"), ("content-length", "3"))),
    ("a length too long", ok(("content-length", "100"))), ("a length too short", ok(("content-length", "1"))),
    ("a transfer coding", ok(("transfer-encoding", "chunked"))), ("a connection field", ok(("connection", "close"))),
    ("upper case", ok(("X-Up", "v"))), ("a line break", ok(("x-c", "a\r\nSet-Cookie: e=1"))),
    ("NUL", ok(("x-c", "a\0b"))), ("two statuses", ok((":status", "200"))),
    ("a status behind a field", [("a", "b"), (":status", "200")]),
  ]

  /// A status of 200, and further fields.
  private static func ok(_ more: (String, String)...) -> [(String, String)] { [(":status", "200")] + more }

  private static let oddHeads: [RawFrames] = [
    RawFrames("600", .body("ok", status: 600)) { _ in [.section([(":status", "600")]), .content("ok", ends: true)] },
    RawFrames("an informational head that ends", .fails) { _ in [.head(103, ends: true)] },
    RawFrames("two final heads", .fails) { _ in [.head(200), .head(201), .content("ok", ends: true)] },
    RawFrames("trailers with a length", .fails) { _ in
      [.head(200), .content("ok"), .trailers(["x-t": "1", "content-length": "9"])]
    },
    RawFrames("trailers that do not end", .fails) { _ in
      [.head(200), .content("ok"), .section([("x-t", "1")]), .content("more", ends: true)]
    },
    RawFrames("trailers with a status", .fails) { _ in
      [.head(200), .content("ok"), .section([(":status", "200")], ends: true)]
    },
  ]

  private static let frames: [RawFrames] = [
    RawFrames("a push", .fails) { stream in
      [
        .frame(5, flags: 4, stream: stream, [0, 0, 0, 2, 0x82, 0x84, 0x87]), .head(200),
        .content("ok", ends: true),
      ]
    },
    RawFrames("unknown frames", .body("ok")) { _ in
      [
        .frame(0xfa, flags: 0xff, stream: 0, [1, 2, 3]), .frame(0x0a, stream: 0, [0, 0]), .head(200),
        .content("ok", ends: true),
      ]
    },
    RawFrames("content before the head", .fails) { _ in [.content("ok"), .head(200), .content("ok", ends: true)] },
    RawFrames("another table size", .body("ok")) { _ in
      [
        .frame(4, stream: 0, [0, 1, 0, 0, 0, 0]), .frame(4, stream: 0, [0, 1, 0, 1, 0, 0]), .head(200),
        .content("ok", ends: true),
      ]
    },
    RawFrames("an overflowing window", .bodyOrFails("ok")) { stream in
      let update = FrameStep.frame(8, stream: stream, [0x7f, 0xff, 0xff, 0xff])
      return [.head(200), update, update, .content("ok", ends: true)]
    },
  ]

  /// A frame in a body that breaks the connection; the server closes behind it.
  private static let breaks: [RawFrames] = [false, true].flatMap { hasLength in
    Break.allCases.map { kind in
      RawFrames("\(kind)\(hasLength ? ", with a length" : "")", .fails) { stream in
        [hasLength ? long : .head(200), some, kind.frame(on: stream), .close()]
      }
    }
  }

  private enum Break: CaseIterable {
    case dataOnStreamZero, windowOfZero, connectionWindowOfZero, frameTooLarge, invalidSetting, invalidWindow
    case shortSettings, invalidFrameSize, undecodableFields, goAwayWithError, goAwayBelow, goAwayBelowWithError
    case shortPing, push, resetOfIdleStream, continuation, priorityOnStreamZero, anotherHead, dataOfIdleStream
    case shortReset, tooMuchPadding, nothing, anotherProtocol

    func frame(on stream: Int) -> FrameStep {
      switch self {
      case .dataOnStreamZero: .frame(0, stream: 0, [1])
      case .windowOfZero: .frame(8, stream: stream, [0, 0, 0, 0])
      case .connectionWindowOfZero: .frame(8, stream: 0, [0, 0, 0, 0])
      case .frameTooLarge: .frame(0, stream: stream, [UInt8](repeating: 1, count: 20_000))
      case .invalidSetting: .frame(4, stream: 0, [0, 2, 0, 0, 0, 2])
      case .invalidWindow: .frame(4, stream: 0, [0, 4, 0x80, 0, 0, 0])
      case .shortSettings: .frame(4, stream: 0, [1, 2, 3])
      case .invalidFrameSize: .frame(4, stream: 0, [0, 5, 0, 0, 0, 1])
      case .undecodableFields: .frame(1, flags: 5, stream: stream, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
      case .goAwayWithError: .goAway(lastStream: stream, .internalError)
      case .goAwayBelow: .goAway(lastStream: 0)
      case .goAwayBelowWithError: .goAway(lastStream: 0, .enhanceYourCalm)
      case .shortPing: .frame(6, stream: 0, [1, 2, 3])
      case .push: .frame(5, flags: 4, stream: stream, [0, 0, 0, 2, 0x82, 0x84, 0x87])
      case .resetOfIdleStream: .frame(3, stream: stream + 100, [0, 0, 0, 0])
      case .continuation: .frame(9, flags: 4, stream: stream, [0x88])
      case .priorityOnStreamZero: .frame(2, stream: 0, [0, 0, 0, 0, 0])
      case .anotherHead: .frame(1, flags: 4, stream: stream, [0x88])
      case .dataOfIdleStream: .frame(0, flags: 1, stream: stream + 20, [1])
      case .shortReset: .frame(3, stream: stream, [1, 2])
      case .tooMuchPadding: .frame(0, flags: 8, stream: stream, [255, 0])
      case .nothing: .bytes([])
      case .anotherProtocol: .bytes([UInt8]("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))
      }
    }
  }
}
