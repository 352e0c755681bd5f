/// A media type with its parameters, such as `text/html;charset=utf-8`.
///
/// Type, subtype and parameter names are in lower case; values are as sent, without quotes. Equality compares all of them;
/// `hasSameEssence(as:)` and `match(_:)` compare less. A `*` as the subtype, or as type and subtype, is a wildcard for
/// `match(_:)`.
///
/// The sources are RFC 9110 §8.3, RFC 6838, and §4 of the WHATWG MIME Sniffing Standard for reading and writing.
public struct MediaType: Sendable, Hashable {
  /// The most parameters that are kept; later ones are ignored.
  public static let maximumParameters = 64

  /// The top-level type, such as `text`.
  public let type: String
  /// The subtype, such as `html` or `problem+json`.
  public let subtype: String
  /// The parameters in order, with unique names.
  public let parameters: [FieldParameter]

  /// Creates a media type from its parts, which are checked.
  ///
  /// The first of several parameters with the same name is kept. The result is nil if type, subtype or a parameter's name is
  /// not a token, if a value contains anything except tabs and the printable characters of ISO-8859-1, or beyond
  /// `maximumParameters`.
  public init?(type: String, subtype: String, parameters: [FieldParameter] = []) {
    guard FieldSyntax.isToken(type), FieldSyntax.isToken(subtype),
      parameters.count <= Self.maximumParameters
    else { return nil }
    var kept: [FieldParameter] = []
    for parameter in parameters {
      guard FieldSyntax.isToken(parameter.name), Self.isParameterValue(parameter.value) else { return nil }
      if kept[parameter.name] == nil {
        kept.append(FieldParameter(name: parameter.name.asciiLowercased, value: parameter.value))
      }
    }
    self.init(
      uncheckedType: type.asciiLowercased, subtype: subtype.asciiLowercased, parameters: kept)
  }

  init(uncheckedType type: String, subtype: String, parameters: [FieldParameter] = []) {
    self.type = type
    self.subtype = subtype
    self.parameters = parameters
  }

  /// The type and subtype without parameters, such as `text/html`.
  public var essence: String { type + "/" + subtype }

  /// The structured suffix after the last `+`, such as `json` (RFC 6838 §4.2.8).
  ///
  /// Nil if absent.
  public var suffix: Substring? {
    guard let plus = subtype.utf8.lastIndex(of: 0x2B) else { return nil }
    let suffix = subtype[subtype.utf8.index(after: plus)...]
    return suffix.isEmpty ? nil : suffix
  }

  /// The value of a parameter, ignoring the case of its name; nil if absent.
  public subscript(parameter: String) -> String? { parameters[parameter] }

  /// The character encoding of the `charset` parameter; nil if absent.
  public var charset: Charset? { parameters["charset"].flatMap(Charset.init(label:)) }

  /// Returns the same type with one parameter set, or removed if `value` is nil.
  ///
  /// A changed parameter keeps its position, and a new one comes last. The result is nil in the same cases as for the
  /// initializer.
  public func setting(_ parameter: String, to value: String?) -> MediaType? {
    var changed = parameters
    let index = changed.firstIndex { $0.name.equalsIgnoringASCIICase(parameter) }
    switch (index, value) {
    case (let index?, let value?): changed[index].value = value
    case (let index?, nil): changed.remove(at: index)
    case (nil, let value?): changed.append(FieldParameter(name: parameter, value: value))
    case (nil, nil): break
    }
    return MediaType(type: type, subtype: subtype, parameters: changed)
  }

  /// The same type without parameters.
  public var withoutParameters: MediaType {
    MediaType(uncheckedType: type, subtype: subtype)
  }
}

extension MediaType: CustomStringConvertible {
  /// The field value, which parses to an equal media type.
  public var description: String {
    var result = essence
    for parameter in parameters {
      result += ";" + parameter.name + "=" + FieldSyntax.quoted(parameter.value)
    }
    return result
  }
}

extension MediaType {
  /// The usual file extension without a dot, such as `html`.
  ///
  /// An unknown type with a known structured suffix has the suffix's extension. The value is nil if there is no single
  /// extension. In particular, `application/octet-stream` has none, because it says nothing about its bytes.
  public var fileExtension: String? {
    if let known = Self.fileExtensions[essence] { return known }
    guard let suffix else { return nil }
    return Self.suffixExtensions.contains(String(suffix)) ? String(suffix) : nil
  }

  /// Creates the media type of a file extension, in any case; nil if unknown.
  ///
  /// If several types share the extension, the registered one is used, such as `application/xml` for `xml`.
  public init?(fileExtension: String) {
    guard let essence = Self.essences[fileExtension.asciiLowercased] else { return nil }
    self.init(essence)
  }

  private static let essences: [String: String] = {
    var essences = ["jpeg": "image/jpeg", "htm": "text/html", "yml": "application/yaml", "tif": "image/tiff"]
    let isUnregistered: (String) -> Bool = { $0.contains("/x-") || $0 == "application/javascript" }
    // Registered types come last, so that they win; among them `application/…` before `text/…`.
    let ordered = fileExtensions.sorted { left, right in
      let (first, second) = (isUnregistered(left.key), isUnregistered(right.key))
      return first == second ? left.key > right.key : first
    }
    for (essence, fileExtension) in ordered { essences[fileExtension] = essence }
    return essences
  }()

  private static let suffixExtensions: Set<String> = ["json", "xml", "yaml", "zip", "cbor"]

  private static let fileExtensions: [String: String] = [
    "application/atom+xml": "atom",
    "application/cbor": "cbor",
    "application/epub+zip": "epub",
    "application/gzip": "gz",
    "application/java-archive": "jar",
    "application/javascript": "js",
    "application/json": "json",
    "application/ld+json": "jsonld",
    "application/manifest+json": "webmanifest",
    "application/msword": "doc",
    "application/pdf": "pdf",
    "application/rss+xml": "rss",
    "application/rtf": "rtf",
    "application/vnd.debian.binary-package": "deb",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/wasm": "wasm",
    "application/x-7z-compressed": "7z",
    "application/x-bzip2": "bz2",
    "application/x-gzip": "gz",
    "application/x-plist": "plist",
    "application/x-rpm": "rpm",
    "application/x-tar": "tar",
    "application/x-xz": "xz",
    "application/x-yaml": "yaml",
    "application/xhtml+xml": "xhtml",
    "application/xml": "xml",
    "application/yaml": "yaml",
    "application/zip": "zip",
    "application/zstd": "zst",
    "audio/aac": "aac",
    "audio/flac": "flac",
    "audio/midi": "mid",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/webm": "weba",
    "font/otf": "otf",
    "font/ttf": "ttf",
    "font/woff": "woff",
    "font/woff2": "woff2",
    "image/apng": "apng",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/heic": "heic",
    "image/jpeg": "jpg",
    "image/jxl": "jxl",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/tiff": "tiff",
    "image/vnd.microsoft.icon": "ico",
    "image/webp": "webp",
    "image/x-icon": "ico",
    "text/calendar": "ics",
    "text/css": "css",
    "text/csv": "csv",
    "text/html": "html",
    "text/javascript": "js",
    "text/markdown": "md",
    "text/plain": "txt",
    "text/tab-separated-values": "tsv",
    "text/vcard": "vcf",
    "text/xml": "xml",
    "text/yaml": "yaml",
    "video/mp4": "mp4",
    "video/mpeg": "mpeg",
    "video/ogg": "ogv",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
    "video/x-msvideo": "avi",
  ]
}

extension MediaType {
  /// How closely a media type matches a pattern, from loose to exact.
  public enum Match: Int, Sendable, Hashable, Comparable {
    /// The pattern is `*/*`.
    case anything
    /// The pattern is `type/*`.
    case type
    /// The structured suffix is the pattern's subtype: `problem+json` for `json`.
    case suffix
    /// Type and subtype are equal.
    case exact

    /// Returns whether the left match is looser.
    public static func < (left: Match, right: Match) -> Bool { left.rawValue < right.rawValue }
  }

  /// Returns whether type and subtype are equal, regardless of parameters.
  public func hasSameEssence(as other: MediaType) -> Bool {
    subtype == other.subtype && type == other.type
  }

  /// Returns how this media type, used as a pattern, matches another one.
  ///
  /// The other type must have every parameter of the pattern with the same value; `charset` is compared by its canonical name.
  /// A pattern matches a structured suffix in three forms: `application/json` matches `application/problem+json` and
  /// `image/x+json`, `application/*+json` matches within its type, and `*/*+json` matches in every type. The result is nil
  /// without a match.
  public func match(_ other: MediaType) -> Match? {
    guard parametersMatch(other) else { return nil }
    if hasSameEssence(as: other) { return .exact }
    if type == "*", subtype == "*" { return .anything }
    if subtype == "*" { return type == other.type ? .type : nil }
    guard let suffix = other.suffix else { return nil }
    if subtype.utf8.starts(with: "*+".utf8) {
      let matches = subtype.utf8.dropFirst(2).elementsEqual(suffix.utf8)
      return matches && (type == "*" || type == other.type) ? .suffix : nil
    }
    return type == "application" && subtype == suffix ? .suffix : nil
  }

  private func parametersMatch(_ other: MediaType) -> Bool {
    parameters.allSatisfy { parameter in
      guard let value = other.parameters[parameter.name] else { return false }
      if parameter.name == "charset" { return charset == other.charset }
      return value == parameter.value
    }
  }
}

extension MediaType {
  private static func wellKnown(_ type: String, _ subtype: String) -> MediaType {
    MediaType(uncheckedType: type, subtype: subtype)
  }

  /// `*/*`
  public static let any = wellKnown("*", "*")
  /// `application/octet-stream`
  public static let octetStream = wellKnown("application", "octet-stream")
  /// `application/json`
  public static let json = wellKnown("application", "json")
  /// `application/problem+json` (RFC 9457)
  public static let problemJSON = wellKnown("application", "problem+json")
  /// `application/xml`
  public static let xml = wellKnown("application", "xml")
  /// `text/xml`
  public static let textXML = wellKnown("text", "xml")
  /// `application/yaml` (RFC 9512)
  public static let yaml = wellKnown("application", "yaml")
  /// `application/x-plist`
  public static let propertyList = wellKnown("application", "x-plist")
  /// `application/x-www-form-urlencoded`
  public static let formURLEncoded = wellKnown("application", "x-www-form-urlencoded")
  /// `multipart/form-data`
  public static let formData = wellKnown("multipart", "form-data")
  /// `multipart/byteranges`
  public static let byteRanges = wellKnown("multipart", "byteranges")
  /// `text/plain`
  public static let plainText = wellKnown("text", "plain")
  /// `text/html`
  public static let html = wellKnown("text", "html")
  /// `text/css`
  public static let css = wellKnown("text", "css")
  /// `text/csv`
  public static let csv = wellKnown("text", "csv")
  /// `text/javascript` (RFC 9239)
  public static let javaScript = wellKnown("text", "javascript")
  /// `text/event-stream`
  public static let eventStream = wellKnown("text", "event-stream")
  /// `application/pdf`
  public static let pdf = wellKnown("application", "pdf")
  /// `application/zip`
  public static let zip = wellKnown("application", "zip")
  /// `application/gzip`
  public static let gzip = wellKnown("application", "gzip")
  /// `image/png`
  public static let png = wellKnown("image", "png")
  /// `image/jpeg`
  public static let jpeg = wellKnown("image", "jpeg")
  /// `image/gif`
  public static let gif = wellKnown("image", "gif")
  /// `image/webp`
  public static let webP = wellKnown("image", "webp")
  /// `image/svg+xml`
  public static let svg = wellKnown("image", "svg+xml")
}
