public import FoundationEssentials

/// A name for saving received content: one harmless path component.
///
/// Whatever a server sends, the name has 1 to 255 bytes of UTF-8. It contains no path separators, control characters,
/// invisible direction marks, or characters that other file systems forbid (`<>:"|?*`). It neither starts nor ends with a dot,
/// and is not a device name of Windows. A file with this name therefore stays in its directory and is visible there. A file of
/// this name may already exist.
public struct SuggestedFileName: Sendable, Hashable, CustomStringConvertible {
  /// The most bytes of a name, which is the limit of Linux file systems.
  public static let maximumLength = 255

  /// The name.
  public let value: String

  /// Creates a harmless name from any text; nil if nothing is left of it.
  ///
  /// The last component of a path is used. If the name must be shortened, it keeps its extension.
  public init?(_ text: String) {
    guard let name = FileNameCleaner.clean(text) else { return nil }
    value = FileNameCleaner.finish(name)
  }

  /// Creates the name of a response's content.
  ///
  /// The name comes from `Content-Disposition`, otherwise from the URL. If it has no extension, the media type adds one.
  /// Without any usable name it is `download`.
  public init(disposition: ContentDisposition?, urlPath: String?, mediaType: MediaType?) {
    var name =
      disposition?.filename.flatMap(FileNameCleaner.clean)
      ?? urlPath.flatMap(FileNameCleaner.lastComponent).flatMap(FileNameCleaner.clean)
      ?? "download"
    if FileNameCleaner.fileExtension(of: name) == nil, let added = mediaType?.fileExtension {
      name += "." + added
    }
    value = FileNameCleaner.finish(name)
  }

  /// Creates the name of a response's content, given its URL.
  public init(disposition: ContentDisposition?, url: URL?, mediaType: MediaType?) {
    self.init(
      disposition: disposition, urlPath: url?.path(percentEncoded: true), mediaType: mediaType)
  }

  /// The name.
  public var description: String { value }
}

/// Converts any text to a harmless path component.
enum FileNameCleaner {
  /// Removes directories and all dangerous or invisible characters.
  ///
  /// Nil if nothing is left.
  static func clean(_ text: String) -> String? {
    // Remove characters first: without them, other text such as ".\0." can become a path component of dots.
    var scalars = String.UnicodeScalarView()
    var last = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "/" || scalar == "\\" {
        if !scalars.isEmpty { last = scalars }
        scalars = String.UnicodeScalarView()
      } else if isReplaced(scalar) {
        scalars.append("_")
      } else if !isDropped(scalar) {
        scalars.append(scalar)
      }
    }
    let name = trimmed(scalars.isEmpty ? last : scalars)
    return name.isEmpty ? nil : name
  }

  /// Prefixes a device name, and shortens a name that is too long.
  static func finish(_ name: String) -> String {
    let name = isDevice(name) ? "_" + name : name
    guard name.utf8.count > SuggestedFileName.maximumLength else { return name }
    let ending = fileExtension(of: name).map { "." + $0 } ?? ""
    var stem = String.UnicodeScalarView()
    var room = SuggestedFileName.maximumLength - ending.utf8.count
    for scalar in name.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { break }
      stem.append(scalar)
    }
    // The stem starts with a character that is neither a dot nor a space, so the result is not empty.
    return trimmed(stem) + ending
  }

  /// Returns the extension without its dot.
  ///
  /// It has 1 to 16 letters and digits after the last dot.
  static func fileExtension(of name: String) -> Substring? {
    guard let dot = name.utf8.lastIndex(of: 0x2E), dot > name.startIndex else { return nil }
    let ending = name[name.utf8.index(after: dot)...]
    guard (1...16).contains(ending.utf8.count),
      ending.utf8.allSatisfy({ FieldSyntax.isLetter($0) || FieldSyntax.isDigit($0) })
    else { return nil }
    return ending
  }

  /// Returns the last nonempty component of a path, percent-decoded once.
  static func lastComponent(ofPath path: String) -> String? {
    let path = path.prefix { $0 != "?" && $0 != "#" }
    guard let component = path.split(separator: "/").last else { return nil }
    return String(validating: FieldSyntax.unescaped(Array(component.utf8)), as: UTF8.self) ?? String(component)
  }

  /// Removes dots and spaces at both ends.
  ///
  /// They hide a file, or are lost on other systems.
  private static func trimmed(_ scalars: String.UnicodeScalarView) -> String {
    let isOutside: (Unicode.Scalar) -> Bool = { $0 == "." || $0.properties.isWhitespace }
    guard let start = scalars.firstIndex(where: { !isOutside($0) }),
      let end = scalars.lastIndex(where: { !isOutside($0) })
    else { return "" }
    return String(scalars[start...end])
  }

  /// Returns whether a character is removed.
  ///
  /// These are control characters, line separators, and marks that change the direction of text.
  private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F,
      0xFEFF, 0xFFF9...0xFFFB:
      true
    default: false
    }
  }

  /// Returns whether a character is replaced.
  ///
  /// Other file systems forbid it, or it looks like a path separator.
  private static func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "<", ">", ":", "\"", "|", "?", "*", "\u{2044}", "\u{2215}", "\u{2216}", "\u{29F8}", "\u{FF0F}",
      "\u{FF3C}", "\u{FFFD}":
      true
    default: false
    }
  }

  /// The number of characters of `CONOUT$`.
  private static let longestDevice = 7

  /// Returns whether Windows reads a name as a device, with any extension.
  private static func isDevice(_ name: String) -> Bool {
    // Scalars are compared, since a name can have so many combining marks that comparing characters takes very long.
    let stem = name.unicodeScalars.prefix { $0 != "." }
    let trimmed = stem.reversed().drop { $0 == " " }
    guard trimmed.count <= longestDevice else { return false }
    let device = String(String.UnicodeScalarView(trimmed.reversed())).uppercased()
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(device) { return true }
    guard device.count == 4, device.hasPrefix("COM") || device.hasPrefix("LPT"), let digit = device.last
    else { return false }
    return "0123456789¹²³".contains(digit)
  }
}
