package import CurlewTestSupport

/// One step of a scripted HTTP/2 reply.
///
/// The steps of a stream are played in order (RFC 9113).
package struct FrameStep: Sendable {
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
  package static func head(_ status: Int, _ fields: OriginFields = [:], ends: Bool = false) -> FrameStep {
    FrameStep(action: .head([(":status", "\(status)")] + pairs(fields), ends: ends))
  }

  /// Returns a header section that ends the stream behind content.
  package static func trailers(_ fields: OriginFields) -> FrameStep {
    FrameStep(action: .head(pairs(fields), ends: true))
  }

  /// Content, at most the 65,535 bytes that every client takes unasked (RFC 9113 §6.9.2).
  ///
  /// - Parameter ends: Whether it ends the stream.
  package static func content(_ text: String, ends: Bool = false) -> FrameStep {
    FrameStep(action: .content([UInt8](text.utf8), ends: ends))
  }

  /// RST_STREAM.
  package static func reset(_ error: FrameError) -> FrameStep { FrameStep(action: .reset(error)) }

  /// GOAWAY.
  ///
  /// - Parameter lastStream: The last stream that may be processed; nil is the stream of this reply.
  package static func goAway(lastStream: Int? = nil, _ error: FrameError = .noError) -> FrameStep {
    FrameStep(action: .goAway(lastStream: lastStream, error))
  }

  /// Returns the first `count` bytes of a header section's frame, as if the connection were cut there.
  package static func cutHead(_ status: Int, _ fields: OriginFields = [:], count: Int) -> FrameStep {
    let block = FrameWriter.block([(":status", "\(status)")] + pairs(fields))
    return FrameStep(action: .bytes(Array(FrameWriter.headers(block, stream: 1, ends: false).prefix(count))))
  }

  /// Goes on when so many bytes of the request's body have come.
  ///
  /// Nil waits for its end.
  package static func waitForUpload(_ count: Int64?) -> FrameStep { FrameStep(action: .waitForUpload(count)) }

  /// Goes on when a gate opens.
  package static func wait(for gate: OriginGate) -> FrameStep { FrameStep(action: .waitForGate(gate)) }

  /// Closes the connection; a TLS client is told that this is meant, or is not.
  package static func close(notified: Bool = true) -> FrameStep { FrameStep(action: .close(notified: notified)) }

  private static func pairs(_ fields: OriginFields) -> [(String, String)] {
    fields.lines.map { ($0.name.lowercased(), $0.value) }
  }
}

/// An error code of HTTP/2 (RFC 9113 §7).
package struct FrameError: RawRepresentable, Sendable, Hashable {
  /// The code.
  package var rawValue: UInt32
  /// Creates one of its code.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// NO_ERROR.
  package static let noError = FrameError(rawValue: 0)
  /// INTERNAL_ERROR.
  package static let internalError = FrameError(rawValue: 2)
  /// REFUSED_STREAM: nothing was processed (RFC 9113 §8.7).
  package static let refusedStream = FrameError(rawValue: 7)
  /// CANCEL.
  package static let cancel = FrameError(rawValue: 8)
  /// ENHANCE_YOUR_CALM.
  package static let enhanceYourCalm = FrameError(rawValue: 11)
}
