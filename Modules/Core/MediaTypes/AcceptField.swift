/// The media ranges of an `Accept` field with their preferences (RFC 9110 §12.5.1).
public struct AcceptField: Sendable, Hashable, CustomStringConvertible {
  /// The most ranges that are read; later ones are ignored.
  public static let maximumRanges = 128

  /// One media range, such as `text/*;q=0.5`.
  public struct Range: Sendable, Hashable, CustomStringConvertible {
    /// The accepted media type, which may be a wildcard.
    public var mediaType: MediaType
    /// The preference for it.
    public var quality: QualityValue

    /// Creates a range.
    public init(_ mediaType: MediaType, quality: QualityValue = .most) {
      self.mediaType = mediaType
      self.quality = quality
    }

    /// The range, with its `q` parameter unless that is 1.
    public var description: String {
      quality == .most ? mediaType.description : "\(mediaType);q=\(quality)"
    }
  }

  /// The ranges in the order of the field.
  public var ranges: [Range]

  /// Creates a list.
  public init(_ ranges: [Range]) {
    self.ranges = ranges
  }

  /// Reads a field value; elements that are not media ranges are ignored.
  ///
  /// Parameters after `q`, which RFC 9110 removed, are ignored too.
  public init(_ value: String) {
    ranges = []
    for element in FieldList(value) {
      guard ranges.count < Self.maximumRanges else { return }
      if let range = Range(element) { ranges.append(range) }
    }
  }

  /// Returns the preference for a media type; the most specific range decides.
  ///
  /// Without any range, all types are acceptable; if ranges exist and none matches, the type is not acceptable.
  public func quality(of mediaType: MediaType) -> QualityValue {
    guard !ranges.isEmpty else { return .most }
    var best: (precision: Int, quality: QualityValue)?
    for range in ranges {
      guard let match = range.mediaType.match(mediaType), match != .suffix else { continue }
      let precision = match.rawValue * (MediaType.maximumParameters + 1) + range.mediaType.parameters.count
      if precision > best?.precision ?? -1 { best = (precision, range.quality) }
    }
    return best?.quality ?? .unacceptable
  }

  /// Returns the most preferred media type, and the earlier of equal ones.
  ///
  /// Nil if none is acceptable.
  public func preferred(among mediaTypes: [MediaType]) -> MediaType? {
    var best: (mediaType: MediaType, quality: QualityValue)?
    for mediaType in mediaTypes {
      let quality = quality(of: mediaType)
      if quality > best?.quality ?? .unacceptable { best = (mediaType, quality) }
    }
    return best?.mediaType
  }

  /// The field value.
  public var description: String {
    ranges.map(\.description).joined(separator: ", ")
  }
}

extension AcceptField.Range {
  fileprivate init?(_ element: Substring) {
    guard let parsed = MediaType(String(element)) else { return nil }
    if parsed.type == "*", parsed.subtype != "*" { return nil }
    guard let index = parsed.parameters.firstIndex(where: { $0.name == "q" }) else {
      self.init(parsed)
      return
    }
    guard let quality = QualityValue(parsed.parameters[index].value) else { return nil }
    self.init(
      MediaType(
        uncheckedType: parsed.type, subtype: parsed.subtype,
        parameters: Array(parsed.parameters[..<index])),
      quality: quality)
  }
}
