/// One step of a scripted HTTP/2 reply.
///
/// The steps of a stream are played in order (RFC 9113).
public struct FrameStep: Sendable {
  enum Action: Sendable {
    case bytes([UInt8])
    case head([(String, String)], ends: Bool)
    case content([UInt8], ends: Bool)
    case reset(FrameError)
    case goAway(lastStream: Int?, FrameError)
    case waitForUpload(Int64?)
    case waitForGate(OriginGate)
    case close(notified: Bool)
  }

  let action: Action
}

extension FrameStep {
  /// Returns a header section with a status.
  ///
  /// - Parameter ends: Whether it ends the stream.
  public static func head(_ status: Int, _ fields: OriginFields = [:], ends: Bool = false) -> FrameStep {
    FrameStep(action: .head([(":status", "\(status)")] + pairs(fields), ends: ends))
  }

  /// Returns a header section that ends the stream behind content.
  public static func trailers(_ fields: OriginFields) -> FrameStep {
    FrameStep(action: .head(pairs(fields), ends: true))
  }

  /// Content, at most the 65,535 bytes that every client takes unasked (RFC 9113 §6.9.2).
  ///
  /// - Parameter ends: Whether it ends the stream.
  public static func content(_ text: String, ends: Bool = false) -> FrameStep {
    FrameStep(action: .content([UInt8](text.utf8), ends: ends))
  }

  /// RST_STREAM.
  public static func reset(_ error: FrameError) -> FrameStep { FrameStep(action: .reset(error)) }

  /// GOAWAY.
  ///
  /// - Parameter lastStream: The last stream that may be processed; nil is the stream of this reply.
  public static func goAway(lastStream: Int? = nil, _ error: FrameError = .noError) -> FrameStep {
    FrameStep(action: .goAway(lastStream: lastStream, error))
  }

  /// Returns the first `count` bytes of a header section's frame, as if the connection were cut there.
  public static func cutHead(_ status: Int, _ fields: OriginFields = [:], count: Int) -> FrameStep {
    let block = FrameWriter.block([(":status", "\(status)")] + pairs(fields))
    return FrameStep(action: .bytes(Array(FrameWriter.headers(block, stream: 1, ends: false).prefix(count))))
  }

  /// Goes on when so many bytes of the request's body have come.
  ///
  /// Nil waits for its end.
  public static func waitForUpload(_ count: Int64?) -> FrameStep { FrameStep(action: .waitForUpload(count)) }

  /// Goes on when a gate opens.
  public static func wait(for gate: OriginGate) -> FrameStep { FrameStep(action: .waitForGate(gate)) }

  /// Closes the connection; a TLS client is told that this is meant, or is not.
  public static func close(notified: Bool = true) -> FrameStep { FrameStep(action: .close(notified: notified)) }

  private static func pairs(_ fields: OriginFields) -> [(String, String)] {
    fields.lines.map { ($0.name.lowercased(), $0.value) }
  }
}

/// An error code of HTTP/2 (RFC 9113 §7).
public struct FrameError: RawRepresentable, Sendable, Hashable {
  /// The code.
  public var rawValue: UInt32
  /// Creates one of its code.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// NO_ERROR.
  public static let noError = FrameError(rawValue: 0)
  /// INTERNAL_ERROR.
  public static let internalError = FrameError(rawValue: 2)
  /// REFUSED_STREAM: nothing was processed (RFC 9113 §8.7).
  public static let refusedStream = FrameError(rawValue: 7)
  /// CANCEL.
  public static let cancel = FrameError(rawValue: 8)
  /// ENHANCE_YOUR_CALM.
  public static let enhanceYourCalm = FrameError(rawValue: 11)
}
