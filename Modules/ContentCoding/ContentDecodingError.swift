public import CurlewCore
public import FoundationEssentials

/// Why coded content could not be decoded.
public struct ContentDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons; later versions may add more.
  public struct Reason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value that identifies the reason.
    public var rawValue: String
    /// Creates a reason from its value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The value.
    public var description: String { rawValue }

    /// There is no decoder for the coding.
    public static let unknownCoding = Reason(rawValue: "unknown-coding")
    /// The bytes violate the coding's format, or a checksum does not match.
    public static let damaged = Reason(rawValue: "damaged")
    /// The coded content ends before its end mark.
    public static let cut = Reason(rawValue: "cut")
    /// Bytes followed the end of the coded content.
    public static let trailingBytes = Reason(rawValue: "trailing-bytes")
    /// The content decodes to more bytes than `ContentDecodingLimits.output` allows.
    public static let tooMuchOutput = Reason(rawValue: "too-much-output")
    /// The content decodes to more bytes per coded byte than allowed.
    ///
    /// See `ContentDecodingLimits.ratio`.
    public static let tooHighRatio = Reason(rawValue: "too-high-ratio")
    /// The content was coded with a larger window than allowed.
    ///
    /// See `ContentDecodingLimits.zstdWindow`.
    public static let tooLargeWindow = Reason(rawValue: "too-large-window")
    /// More codings were applied than `ContentDecodingLimits.codings`.
    public static let tooManyCodings = Reason(rawValue: "too-many-codings")
    /// There is no memory for the decoder.
    public static let outOfMemory = Reason(rawValue: "out-of-memory")
  }

  /// Why decoding failed.
  public var reason: Reason
  /// The coding that was being decoded; nil if the error concerns several.
  public var coding: ContentCoding?
  /// A sentence that describes the error.
  public var description: String

  init(_ reason: Reason, _ coding: ContentCoding?, _ description: String) {
    self.reason = reason
    self.coding = coding
    self.description = description
  }
}

extension ContentDecodingError {
  static func damaged(_ coding: ContentCoding, _ detail: String?) -> ContentDecodingError {
    let words = detail.map { ": " + $0 } ?? ""
    return ContentDecodingError(.damaged, coding, "The \(coding) content is damaged\(words).")
  }

  static func cut(_ coding: ContentCoding) -> ContentDecodingError {
    ContentDecodingError(
      .cut, coding, "The \(coding) content is incomplete: the body ended before the coding's end mark.")
  }

  static func trailingBytes(_ coding: ContentCoding) -> ContentDecodingError {
    ContentDecodingError(
      .trailingBytes, coding, "Bytes follow the end of the \(coding) content; the body must end there.")
  }

  static func outOfMemory(_ coding: ContentCoding) -> ContentDecodingError {
    ContentDecodingError(.outOfMemory, coding, "There is not enough memory to decode \(coding) content.")
  }

  /// Returns the `NetworkError` that ends the response's body.
  var networkError: NetworkError {
    let kind: NetworkError.Kind =
      switch reason {
      case .cut: .truncatedBody
      case .tooMuchOutput, .tooHighRatio, .tooLargeWindow, .tooManyCodings: .decodingLimitExceeded
      case .outOfMemory: .resourceExhausted
      default: .contentDecodingFailed
      }
    return NetworkError(kind, stage: .receivingBody, message: description, underlying: self)
  }
}

extension ContentDecodingError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
