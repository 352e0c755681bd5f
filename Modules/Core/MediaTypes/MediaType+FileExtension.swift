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
