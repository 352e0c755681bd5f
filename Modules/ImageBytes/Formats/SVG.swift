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

/// The size of an SVG in CSS pixels, from the attributes of its root element.
struct SVGSize {
  var width: Int
  var height: Int

  /// Reads `width` and `height`; the ratio of `viewBox` replaces a missing one.
  ///
  /// A percentage counts as missing. Without any of them, the size of a replaced element applies: 300 × 150 (CSS 2.1
  /// §10.3.2).
  init(_ attributes: [MarkupScanner.Attribute]) {
    func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    let width = value("width").flatMap(Self.pixels)
    let height = value("height").flatMap(Self.pixels)
    let box = value("viewBox").flatMap(Self.viewBox)
    let size =
      switch (width, height, box) {
      case (let width?, let height?, _): (width, height)
      case (let width?, nil, let box?): (width, width * box.height / box.width)
      case (nil, let height?, let box?): (height * box.width / box.height, height)
      case (nil, nil, let box?): (box.width, box.height)
      case (_, _, nil): (width ?? 300, height ?? 150)
      }
    self.width = Self.whole(size.0)
    self.height = Self.whole(size.1)
  }

  /// Rounds to a whole number of pixels, at least 1 unless it is zero.
  ///
  /// A value that is too large becomes the largest integer.
  private static func whole(_ pixels: Double) -> Int {
    guard pixels > 0 else { return 0 }
    return Int(exactly: max(1, pixels.rounded())) ?? .max
  }

  /// Returns a length in CSS pixels (CSS 2.1 §4.3.2).
  ///
  /// Nil if it is not a length, or relative to the surrounding page.
  private static func pixels(_ text: String) -> Double? {
    let text = text.trimmed
    let digits = text.prefix { "0123456789.+-eE".contains($0) }
    // The `e` of `em` and `ex` belongs to the unit, that of `1e3` to the number.
    let number = digits.last == "e" || digits.last == "E" ? digits.dropLast() : digits
    let unit = text.dropFirst(number.count).lowercased()
    guard let value = Double(number), value.isFinite, value >= 0, let scale = scale(unit) else { return nil }
    return value * scale
  }

  /// Returns the pixels of a unit.
  ///
  /// A font is 16 pixels high, and `ex` is half of that.
  private static func scale(_ unit: String) -> Double? {
    switch unit {
    case "", "px": 1
    case "in": 96
    case "cm": 96 / 2.54
    case "mm": 96 / 25.4
    case "q": 96 / 101.6
    case "pt": 96 / 72
    case "pc": 16
    case "em", "rem": 16
    case "ex": 8
    default: nil
    }
  }

  private static func viewBox(_ text: String) -> (width: Double, height: Double)? {
    let numbers = text.split { ", \t\r\n".contains($0) }.map { Double($0) }
    guard numbers.count == 4, let width = numbers[2], let height = numbers[3], width > 0, height > 0,
      width.isFinite, height.isFinite
    else { return nil }
    return (width, height)
  }
}

extension String {
  /// The text without white space at both ends.
  fileprivate var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return start[...last]
  }
}
