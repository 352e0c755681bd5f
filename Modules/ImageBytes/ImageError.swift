/// Why bytes are not a picture that can be trusted.
public struct ImageError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public enum Kind: String, Hashable, Sendable {
    /// The bytes are in none of the formats of ``ImageFormat``.
    case unrecognized
    /// The bytes end before the structure does.
    case truncated
    /// A rule of the format is broken.
    case malformed
    /// A checksum differs from the bytes it covers.
    case checksumMismatch
    /// The declared size has more pixels than ``ImageLimits/maximumPixels``.
    case tooManyPixels
    /// There are more chunks, boxes or pages than ``ImageLimits/maximumParts``.
    case tooManyParts
    /// The format is known, this variant of it is not read.
    case unsupported
  }

  /// What went wrong.
  public var kind: Kind
  /// The format recognized before it went wrong, nil when none was.
  public var format: ImageFormat?
  /// Where, in bytes from the start.
  public var offset: Int
  /// How many bytes from the start would be needed to go on.
  ///
  /// Nil unless the kind is ``Kind/truncated``.
  public var neededBytes: Int?
  /// A sentence on what is wrong.
  public var reason: String

  init(_ kind: Kind, at offset: Int, _ reason: String) {
    self.kind = kind
    self.offset = offset
    self.reason = reason
  }

  static func truncated(at offset: Int, needing count: Int) -> ImageError {
    var error = ImageError(.truncated, at: offset, "The bytes end before the picture does.")
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
