/// SVG as text (SVG 1.1 §5.1, SVG 2 §8).
enum SVG: ImageStructure {
  /// The first tag must start within this many bytes.
  private static let maximumProlog = 1 << 18

  static func isRecognized(_ file: ByteReader) throws(ImageError) -> Bool {
    try root(file) != nil
  }

  /// Returns the start tag of the root element if it is `svg`, and what follows it.
  private static func root(
    _ file: ByteReader
  ) throws(ImageError) -> (attributes: [MarkupScanner.Attribute], isEmpty: Bool, rest: MarkupScanner)? {
    guard try startsWithMarkup(file) else { return nil }
    var scanner = MarkupScanner(try MarkupText(file))
    while scanner.text.offset < maximumProlog {
      switch try scanner.next() {
      case .other: continue
      case .doctype(let name):
        guard name.isNamed("svg") else { return nil }
      case .startTag(let name, let attributes, let isEmpty):
        guard name.isNamed("svg") else { return nil }
        return (attributes, isEmpty, scanner)
      case .endTag, nil: return nil
      }
    }
    return nil
  }

  /// Returns whether the first character other than white space is a `<`.
  private static func startsWithMarkup(_ file: ByteReader) throws(ImageError) -> Bool {
    var text = try MarkupText(file)
    while let unit = try text.next() {
      if unit == UInt8(ascii: "<") { return true }
      guard unit == 0x20 || (0x09...0x0D).contains(unit), text.offset < maximumProlog else { return false }
    }
    return false
  }

  static func info(
    _ file: ByteReader, _ format: ImageFormat, isCounting: Bool, _ limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    guard let root = try root(file) else {
      throw ImageError(.malformed, at: 0, "Expected svg as the root element.")
    }
    let size = SVGSize(root.attributes)
    return ImageInfo(format: .svg, width: size.width, height: size.height, hasAlpha: true, bitDepth: nil)
  }

  /// Checks by counting that every opened element is closed.
  static func verify(_ file: ByteReader, _ format: ImageFormat, _ limits: ImageLimits) throws(ImageError) {
    guard let root = try root(file) else {
      throw ImageError(.malformed, at: 0, "Expected svg as the root element.")
    }
    var scanner = root.rest
    var parts = PartCounter(limits)
    var depth = root.isEmpty ? 0 : 1
    while let token = try scanner.next() {
      try parts.count(at: scanner.text.offset)
      switch token {
      case .startTag(_, _, let isEmpty):
        guard depth > 0 else {
          throw ImageError(.malformed, at: scanner.text.offset, "Found a second element after the root element.")
        }
        if !isEmpty { depth += 1 }
      case .endTag:
        guard depth > 0 else {
          throw ImageError(.malformed, at: scanner.text.offset, "Found an end tag without a start tag.")
        }
        depth -= 1
      case .doctype, .other: break
      }
    }
    guard depth == 0 else { throw .truncated(at: scanner.text.offset, needing: scanner.text.offset + 1) }
  }
}

extension String {
  /// Returns whether this is the given name, with or without a namespace prefix.
  fileprivate func isNamed(_ name: String) -> Bool {
    self == name || hasSuffix(":" + name)
  }
}
