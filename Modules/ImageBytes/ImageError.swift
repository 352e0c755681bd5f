public import FoundationEssentials

/// The reason why bytes are not a valid picture.
public struct ImageError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public enum Kind: String, Hashable, Sendable {
    /// The bytes have none of the formats in ``ImageFormat``.
    case unrecognized
    /// The bytes end before the picture is complete.
    case truncated
    /// A rule of the format is violated.
    case malformed
    /// A checksum does not match the bytes it covers.
    case checksumMismatch
    /// The declared size has more pixels than ``ImageLimits/maximumPixels``.
    case tooManyPixels
    /// There are more chunks, boxes or pages than ``ImageLimits/maximumParts``.
    case tooManyParts
    /// The format is known, but this variant of it is not supported.
    case unsupported
  }

  /// The kind of failure.
  public var kind: Kind
  /// The format that was recognized; nil when none was.
  public var format: ImageFormat?
  /// The offset of the error in bytes, from the start of the file.
  public var offset: Int
  /// The number of bytes from the start that are needed to continue.
  ///
  /// Nil unless the kind is ``Kind/truncated``.
  public var neededBytes: Int?
  /// A sentence that says what is wrong.
  public var reason: String

  init(_ kind: Kind, at offset: Int, _ reason: String) {
    self.kind = kind
    self.offset = offset
    self.reason = reason
  }

  static func truncated(at offset: Int, needing count: Int) -> ImageError {
    var error = ImageError(.truncated, at: offset, "The file ends before the picture is complete.")
    error.neededBytes = count
    return error
  }
}

extension ImageError: CustomStringConvertible {
  /// The reason, with the format and the offset.
  public var description: String {
    let name = format.map { $0.rawValue + ", " } ?? ""
    return "\(reason) (\(name)byte \(offset))"
  }
}

extension ImageError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}
