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
