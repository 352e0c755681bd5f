package import CurlewTestSupport

/// One step of a scripted HTTP/2 reply.
///
/// The steps of a stream are played in order (RFC 9113).
package struct FrameStep: Sendable {
  enum Action: Sendable {
    case bytes([UInt8])
    case frame(UInt8, flags: UInt8, stream: Int?, [UInt8])
    case head([(String, String)], ends: Bool)
    case content([UInt8], ends: Bool)
    case reset(FrameError)
    case goAway(lastStream: Int?, FrameError)
    case waitForUpload(Int64?)
    case waitForGate(OriginGate)
    case waitForPong
    case close(notified: Bool)
  }

  let action: Action
}

extension FrameStep {
  /// Returns a header section with a status.
  ///
  /// - Parameter ends: Whether the section ends the stream.
  package static func head(_ status: Int, _ fields: OriginFields = [:], ends: Bool = false) -> FrameStep {
    FrameStep(action: .head([(":status", "\(status)")] + pairs(fields), ends: ends))
  }

  /// Returns a header section that follows content and ends the stream.
  package static func trailers(_ fields: OriginFields) -> FrameStep {
    FrameStep(action: .head(pairs(fields), ends: true))
  }

  /// Returns a header section with exactly these fields, which need not be valid.
  ///
  /// - Parameter ends: Whether the section ends the stream.
  package static func section(_ fields: [(String, String)], ends: Bool = false) -> FrameStep {
    FrameStep(action: .head(fields, ends: ends))
  }

  /// Returns any frame, also one that is not allowed there (RFC 9113 §4.1).
  ///
  /// - Parameters:
  ///   - kind: The type of the frame.
  ///   - stream: The identifier of its stream; nil for the stream of this reply.
  package static func frame(
    _ kind: UInt8, flags: UInt8 = 0, stream: Int? = nil, _ payload: [UInt8] = []
  ) -> FrameStep { FrameStep(action: .frame(kind, flags: flags, stream: stream, payload)) }

  /// Returns bytes that need not be a frame.
  package static func bytes(_ bytes: [UInt8]) -> FrameStep { FrameStep(action: .bytes(bytes)) }

  /// Returns content, of at most 65,535 bytes.
  ///
  /// Every client accepts this many bytes without a window update (RFC 9113 §6.9.2).
  ///
  /// - Parameter ends: Whether the content ends the stream.
  package static func content(_ text: String, ends: Bool = false) -> FrameStep {
    FrameStep(action: .content([UInt8](text.utf8), ends: ends))
  }

  /// Returns an RST_STREAM frame.
  package static func reset(_ error: FrameError) -> FrameStep { FrameStep(action: .reset(error)) }

  /// Returns a GOAWAY frame.
  ///
  /// - Parameter lastStream: The last stream that may be processed; by default, the stream of this reply.
  package static func goAway(lastStream: Int? = nil, _ error: FrameError = .noError) -> FrameStep {
    FrameStep(action: .goAway(lastStream: lastStream, error))
  }

  /// Returns the first `count` bytes of a header section, as in a cut connection.
  package static func cutHead(_ status: Int, _ fields: OriginFields = [:], count: Int) -> FrameStep {
    let block = FrameWriter.block([(":status", "\(status)")] + pairs(fields))
    return FrameStep(action: .bytes(Array(FrameWriter.headers(block, stream: 1, ends: false).prefix(count))))
  }

  /// Continues when this many bytes of the request's body have arrived.
  ///
  /// With `nil` it waits for the end of the body.
  package static func waitForUpload(_ count: Int64?) -> FrameStep { FrameStep(action: .waitForUpload(count)) }

  /// Continues when the client has acknowledged a PING on the connection.
  package static let waitForPong = FrameStep(action: .waitForPong)

  /// Continues when a gate opens.
  package static func wait(for gate: OriginGate) -> FrameStep { FrameStep(action: .waitForGate(gate)) }

  /// Closes the connection, with or without the close notification of TLS.
  package static func close(notified: Bool = true) -> FrameStep { FrameStep(action: .close(notified: notified)) }

  private static func pairs(_ fields: OriginFields) -> [(String, String)] {
    fields.lines.map { ($0.name.lowercased(), $0.value) }
  }
}

/// An error code of HTTP/2 (RFC 9113 §7).
package struct FrameError: RawRepresentable, Sendable, Hashable {
  /// The code.
  package var rawValue: UInt32
  /// Creates an error code.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The connection or stream ends without an error.
  package static let noError = FrameError(rawValue: 0)
  /// The server failed.
  package static let internalError = FrameError(rawValue: 2)
  /// A window became larger than 2^31-1 bytes.
  package static let flowControlError = FrameError(rawValue: 3)
  /// A frame arrived for a stream that was closed.
  package static let streamClosed = FrameError(rawValue: 5)
  /// A frame has a length that its type does not allow.
  package static let frameSizeError = FrameError(rawValue: 6)
  /// A header section could not be decoded.
  package static let compressionError = FrameError(rawValue: 9)
  /// REFUSED_STREAM: the request was not processed (RFC 9113 §8.7).
  package static let refusedStream = FrameError(rawValue: 7)
  /// The stream is no longer needed.
  package static let cancel = FrameError(rawValue: 8)
  /// The sender found a violation of the protocol.
  package static let protocolError = FrameError(rawValue: 1)
  /// HTTP_1_1_REQUIRED: the request must be made over HTTP/1.1.
  package static let http11Required = FrameError(rawValue: 13)
  /// The client causes too much load.
  package static let enhanceYourCalm = FrameError(rawValue: 11)
}
