import CurlewTestHarness
import CurlewTestSupport

/// Frames of a server, and how a client must react to them by RFC 9113.
struct FrameRule: Sendable {
  /// What the client must send, or else do.
  enum Reaction: Sendable, Hashable {
    /// A request.
    case request
    /// The acknowledgement of a PING with these bytes.
    case pong([UInt8])
    /// The acknowledgement of each SETTINGS.
    case settingsAcknowledged
    /// GOAWAY with one of these codes, or the end of the connection.
    case connectionError([FrameError])
    /// RST_STREAM or GOAWAY with one of these codes, or the end of the connection.
    case streamError([FrameError])
    /// GOAWAY with this code.
    case goAway(FrameError)
    /// RST_STREAM with this code.
    case reset(FrameError)
    /// The end of the connection, before anything else ends it.
    case end
  }

  /// The section of RFC 9113.
  let section: String
  let name: String
  let reaction: Reaction
  /// Whether the request succeeds; nil if both are right, because the violation follows a complete answer.
  let succeeds: Bool?
  /// The steps on the stream of a number.
  let steps: @Sendable (Int) -> [FrameStep]

  init(
    _ section: String, _ name: String, _ reaction: Reaction, succeeds: Bool? = false,
    _ steps: @escaping @Sendable (Int) -> [FrameStep]
  ) {
    self.section = section
    self.name = name
    self.reaction = reaction
    self.succeeds = succeeds
    self.steps = steps
  }

  static let all: [FrameRule] = [
    beginning, headerSections, streamStates, errors, content, heads, resets, settings, pings, goAways, windows,
    continuations,
  ].flatMap { $0 }

  private static let zeros = [UInt8](repeating: 0, count: 8)
  /// A PING, and an answer that comes after its acknowledgement.
  private static let pingAndAnswer: [FrameStep] = [.frame(6, stream: 0, zeros), .waitForPong, .head(200, ends: true)]
  /// The whole header section of a 200 as a block, and one of a further field.
  private static let (block, field): ([UInt8], [UInt8]) = ([0x88], [0, 1, 0x61, 1, 0x62])

  private static let beginning: [FrameRule] = [
    FrameRule("3.4", "the client's preface and request", .request, succeeds: true) { _ in [.head(200, ends: true)] },
    FrameRule("4.1", "a frame of an unknown type", .pong(zeros), succeeds: true) { _ in
      [.frame(0x16, stream: 0, zeros)] + pingAndAnswer
    },
    FrameRule("4.1", "a frame with unknown flags", .pong(zeros), succeeds: true) { _ in
      [.frame(6, flags: 0x16, stream: 0, zeros), .waitForPong, .head(200, ends: true)]
    },
    FrameRule("4.1", "a frame with the reserved bit", .pong(zeros), succeeds: true) { _ in
      [.frame(6, flags: 0x16, stream: 1 << 31, zeros), .waitForPong, .head(200, ends: true)]
    },
    FrameRule("4.2", "content of 2^14 bytes, and a PING behind the end", .pong(zeros), succeeds: true) { stream in
      [
        .head(200), .frame(0, flags: 1, stream: stream, [UInt8](repeating: 0x78, count: 16_384)),
        .frame(6, stream: 0, zeros),
      ]
    },
    FrameRule("4.2", "content of 2^14 + 1 bytes", .streamError([.frameSizeError])) { stream in
      [.head(200), .frame(0, flags: 1, stream: stream, [UInt8](repeating: 0x78, count: 16_385))]
    },
    FrameRule("4.2", "a header section of more than 2^14 bytes", .connectionError([.frameSizeError])) { stream in
      let field = [0, 1, 0x61, 0x64] + [UInt8](repeating: 0x62, count: 100)
      return [.frame(1, flags: 5, stream: stream, block + Array(repeating: field, count: 170).flatMap { $0 })]
    },
    FrameRule("5.5", "a frame of an extension", .pong(zeros), succeeds: true) { stream in
      [.frame(0xfe, flags: 0xff, stream: stream, zeros)] + pingAndAnswer
    },
  ]

  private static let headerSections: [FrameRule] = [
    FrameRule("4.3", "fields that cannot be decoded", .connectionError([.compressionError])) { stream in
      [.frame(1, flags: 5, stream: stream, [0x40])]
    }
  ]

  private static let streamStates: [FrameRule] = [
    FrameRule("5.1", "content on an idle stream", .connectionError([.protocolError])) { _ in
      [.frame(0, flags: 1, stream: 2, [1, 2, 3, 4])]
    },
    FrameRule("5.1", "RST_STREAM on an idle stream", .connectionError([.protocolError])) { _ in
      [.frame(3, stream: 2, [0, 0, 0, 8])]
    },
    FrameRule("5.1", "WINDOW_UPDATE on an idle stream", .connectionError([.protocolError])) { _ in
      [.frame(8, stream: 2, [0, 0, 0, 100])]
    },
    FrameRule("5.1", "CONTINUATION on an idle stream", .connectionError([.protocolError])) { _ in
      [.frame(9, flags: 4, stream: 2, block)]
    },
    FrameRule("5.1", "content behind RST_STREAM", .streamError([.streamClosed])) { stream in
      [.head(200), .reset(.cancel), .frame(0, flags: 1, stream: stream, [1, 2, 3, 4])]
    },
    FrameRule("5.1", "a header section behind RST_STREAM", .streamError([.streamClosed])) { stream in
      [.head(200), .reset(.cancel), .frame(1, flags: 5, stream: stream, block)]
    },
    FrameRule("5.1", "CONTINUATION behind RST_STREAM", .streamError([.streamClosed, .protocolError])) { stream in
      [.head(200), .reset(.cancel), .frame(9, flags: 4, stream: stream, field)]
    },
    FrameRule("5.1", "content behind the end", .connectionError([.streamClosed]), succeeds: nil) { stream in
      [.head(200, ends: true), .frame(0, flags: 1, stream: stream, [1, 2, 3, 4])]
    },
    FrameRule("5.1", "a header section behind the end", .connectionError([.streamClosed]), succeeds: nil) { stream in
      [.head(200, ends: true), .frame(1, flags: 5, stream: stream, block)]
    },
    FrameRule(
      "5.1", "CONTINUATION behind the end", .connectionError([.streamClosed, .protocolError]), succeeds: nil
    ) { stream in
      [.head(200, ends: true), .frame(9, flags: 4, stream: stream, field)]
    },
    FrameRule("5.1.1", "a header section on a stream that nobody opened", .connectionError([.protocolError])) { _ in
      [.frame(1, flags: 5, stream: 101, block)]
    },
  ]

  private static let errors: [FrameRule] = [
    FrameRule("5.4.1", "a connection error ends the connection", .end) { _ in [.frame(6, stream: 3, zeros)] },
    FrameRule("5.4.1", "a connection error is told by GOAWAY", .goAway(.protocolError)) { _ in
      [.frame(6, stream: 3, zeros)]
    },
  ]

  private static let content: [FrameRule] = [
    FrameRule("6.1", "content on stream 0", .connectionError([.protocolError])) { _ in
      [.frame(0, flags: 1, stream: 0, [1, 2, 3, 4])]
    },
    FrameRule("6.1", "content on a closed stream", .streamError([.streamClosed]), succeeds: nil) { stream in
      [.head(200, ends: true), .frame(0, flags: 1, stream: stream, [1])]
    },
    FrameRule("6.1", "content with more padding than bytes", .streamError([.protocolError])) { stream in
      [.head(200, ["content-length": "4"]), .frame(0, flags: 9, stream: stream, [6, 1, 2, 3, 4])]
    },
  ]

  private static let heads: [FrameRule] = [
    FrameRule("6.2", "PRIORITY inside a header section", .connectionError([.protocolError])) { stream in
      [
        .frame(1, stream: stream, block), .frame(2, stream: stream, [0, 0, 0, 0, 255]),
        .frame(9, flags: 4, stream: stream, field),
      ]
    },
    FrameRule("6.2", "a header section on stream 0", .connectionError([.protocolError])) { _ in
      [.frame(1, flags: 5, stream: 0, block)]
    },
    FrameRule("6.2", "a header section with more padding than bytes", .streamError([.protocolError])) { stream in
      [.frame(1, flags: 8, stream: stream, [0x11] + block)]
    },
    FrameRule("6.3", "PRIORITY on stream 0", .connectionError([.protocolError])) { _ in
      [.frame(2, stream: 0, [0, 0, 0, 0, 255])]
    },
    FrameRule("6.3", "PRIORITY of four bytes", .streamError([.frameSizeError]), succeeds: nil) { stream in
      [.head(200, ends: true), .frame(2, stream: stream, [0x80, 0, 0, 1])]
    },
  ]

  private static let resets: [FrameRule] = [
    FrameRule("6.4", "RST_STREAM on stream 0", .connectionError([.protocolError])) { _ in
      [.frame(3, stream: 0, [0, 0, 0, 8])]
    },
    FrameRule("6.4", "RST_STREAM on a stream that was never opened", .connectionError([.protocolError])) { _ in
      [.frame(3, stream: 2, [0, 0, 0, 8])]
    },
    FrameRule("6.4", "RST_STREAM of three bytes", .streamError([.frameSizeError]), succeeds: nil) { stream in
      [.head(200, ends: true), .frame(3, stream: stream, [0, 0, 0])]
    },
  ]

  private static let settings: [FrameRule] = [
    FrameRule("6.5", "an acknowledgement with content", .connectionError([.frameSizeError])) { _ in
      [.frame(4, flags: 1, stream: 0, [0])]
    },
    FrameRule("6.5", "SETTINGS on a stream", .connectionError([.protocolError])) { _ in
      [.frame(4, stream: 1, [0, 3, 0, 0, 0, 100])]
    },
    FrameRule("6.5", "SETTINGS of three bytes", .streamError([.protocolError, .frameSizeError])) { _ in
      [.frame(4, stream: 0, [0, 3, 0])]
    },
    FrameRule("6.5.2", "a window of 2^31", .connectionError([.flowControlError])) { _ in
      [.frame(4, stream: 0, [0, 4, 0x80, 0, 0, 0])]
    },
    FrameRule("6.5.2", "a frame size of 2^14 - 1", .connectionError([.protocolError])) { _ in
      [.frame(4, stream: 0, [0, 5, 0, 0, 0x3f, 0xff])]
    },
    FrameRule("6.5.2", "a frame size of 2^24", .connectionError([.protocolError])) { _ in
      [.frame(4, stream: 0, [0, 5, 1, 0, 0, 0])]
    },
    FrameRule("6.5.2", "an unknown setting", .pong(zeros), succeeds: true) { _ in
      [.frame(4, stream: 0, [0, 0xff, 0, 0, 0, 1])] + pingAndAnswer
    },
    FrameRule("6.5.3", "SETTINGS", .settingsAcknowledged, succeeds: true) { _ in
      [.frame(4, stream: 0, [0, 2, 0, 0, 0, 0])] + pingAndAnswer
    },
  ]

  private static let pings: [FrameRule] = [
    FrameRule("6.7", "PING", .pong([1, 2, 3, 4, 5, 6, 7, 8]), succeeds: true) { _ in
      [.frame(6, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]), .waitForPong, .head(200, ends: true)]
    },
    FrameRule("6.7", "an acknowledgement is not acknowledged", .pong([1, 2, 3, 4, 5, 6, 7, 8]), succeeds: true) { _ in
      [
        .frame(6, flags: 1, stream: 0, zeros), .frame(6, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]), .waitForPong,
        .head(200, ends: true),
      ]
    },
    FrameRule("6.7", "PING on a stream", .connectionError([.protocolError])) { _ in [.frame(6, stream: 1, zeros)] },
    FrameRule("6.7", "PING of six bytes", .connectionError([.frameSizeError])) { _ in
      [.frame(6, stream: 0, [0, 0, 0, 0, 0, 0])]
    },
  ]

  private static let goAways: [FrameRule] = [
    FrameRule("6.8", "GOAWAY on a stream", .connectionError([.protocolError])) { _ in [.frame(7, stream: 1, zeros)] }
  ]

  private static let windows: [FrameRule] = [
    FrameRule("6.9", "a connection's window that grows by 0", .connectionError([.protocolError])) { _ in
      [.frame(8, stream: 0, [0, 0, 0, 0])]
    },
    FrameRule("6.9", "a stream's window that grows by 0", .streamError([.protocolError])) { stream in
      [.head(200), .frame(8, stream: stream, [0, 0, 0, 0])]
    },
    FrameRule("6.9", "WINDOW_UPDATE of three bytes", .connectionError([.frameSizeError])) { _ in
      [.frame(8, stream: 0, [0, 0, 1])]
    },
    FrameRule("6.9.1", "a connection's window of more than 2^31 - 1", .goAway(.flowControlError)) { _ in
      [.frame(8, stream: 0, [0x7f, 0xff, 0xff, 0xff]), .frame(8, stream: 0, [0x7f, 0xff, 0xff, 0xff])]
    },
    FrameRule("6.9.1", "a stream's window of more than 2^31 - 1", .reset(.flowControlError)) { stream in
      let update = FrameStep.frame(8, stream: stream, [0x7f, 0xff, 0xff, 0xff])
      return [.head(200), update, update]
    },
  ]

  private static let continuations: [FrameRule] = [
    FrameRule("6.10", "a header section in three frames, and a PING behind the end", .pong(zeros), succeeds: true) {
      stream in
      [
        .frame(1, flags: 1, stream: stream, block), .frame(9, stream: stream, field),
        .frame(9, flags: 4, stream: stream, field), .frame(6, stream: 0, zeros),
      ]
    },
    FrameRule("6.10", "content inside a header section", .connectionError([.protocolError])) { stream in
      [
        .frame(1, stream: stream, block), .frame(9, stream: stream, field),
        .frame(0, flags: 1, stream: stream, [1, 2, 3, 4]),
      ]
    },
    FrameRule("6.10", "CONTINUATION on stream 0", .connectionError([.protocolError])) { stream in
      [.frame(1, flags: 1, stream: stream, block), .frame(9, flags: 4, stream: 0, field)]
    },
    FrameRule(
      "6.10", "CONTINUATION behind a whole header section", .connectionError([.protocolError]), succeeds: nil
    ) { stream in
      [.frame(1, flags: 5, stream: stream, block), .frame(9, flags: 4, stream: stream, field)]
    },
    FrameRule(
      "6.10", "CONTINUATION behind the last CONTINUATION", .connectionError([.protocolError]), succeeds: nil
    ) { stream in
      [
        .frame(1, flags: 1, stream: stream, block), .frame(9, flags: 4, stream: stream, field),
        .frame(9, flags: 4, stream: stream, field),
      ]
    },
    FrameRule("6.10", "content between HEADERS and CONTINUATION", .connectionError([.protocolError])) { stream in
      [
        .frame(1, stream: stream, block), .frame(0, flags: 1, stream: stream, [1, 2, 3, 4]),
        .frame(9, stream: stream, field), .frame(9, flags: 4, stream: 0, field),
      ]
    },
  ]
}
