public import CurlewCore
import FoundationEssentials
public import HTTPTypes

/// A `multipart/form-data` body that is written while it is sent (RFC 7578).
///
/// Parts come from memory, files and streams, in the order of addition. The length is exact and known before the first
/// byte is sent; memory use does not grow with the parts. If the length of a part has changed since it was added, the
/// request fails before a wrong number of bytes is sent.
///
/// ```swift
/// var form = MultipartForm()
/// try form.append("Curlew", name: "title")
/// try form.append(file: photo, name: "photo")
/// let request = form.applied(to: try Request(.post, "https://example.org/upload"))
/// ```
public struct MultipartForm: Sendable {
  /// One part of a form: its header fields and its content.
  public struct Part: Sendable {
    /// The header fields, in the order of writing.
    public var headerFields: HTTPFields
    /// The content.
    public var body: Body

    /// Creates a part with any fields and any body.
    public init(headerFields: HTTPFields, body: Body) {
      self.headerFields = headerFields
      self.body = body
    }
  }

  /// A limit for the speed of producing the body.
  public struct Throttle: Sendable, Hashable {
    /// The maximum number of bytes in one packet, 1 or more.
    public var packetBytes: Int
    /// The pause after each packet.
    public var delay: Duration

    /// Creates a throttle; by default one for slow mobile networks.
    ///
    /// That is 16 KiB every 0.2 s, about 80 KB/s.
    public init(packetBytes: Int = 16_384, delay: Duration = .milliseconds(200)) {
      self.packetBytes = max(1, packetBytes)
      self.delay = delay
    }
  }

  /// The boundary between the parts, valid by RFC 2046 §5.1.1.
  public let boundary: String
  /// The parts, in order.
  public var parts: [Part] = []
  /// The speed limit; nil means none. It applies each time the body is sent.
  public var throttle: Throttle?

  /// Creates an empty form with an unpredictable boundary.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// Creates an empty form with a boundary from a random number generator.
  public init(using generator: inout some RandomNumberGenerator) {
    let digits = String(generator.next() as UInt64, radix: 16, uppercase: true)
    boundary = "Boundary+" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Creates an empty form with a given boundary, which must not occur in its parts.
  ///
  /// - Throws: `MultipartError` of kind `invalidBoundary`.
  public init(boundary: String) throws(MultipartError) {
    _ = try MultipartReader(boundary: boundary)
    self.boundary = boundary
  }

  /// `multipart/form-data` with the boundary.
  public var mediaType: MediaType {
    MediaType.formData.setting("boundary", to: boundary) ?? .formData
  }

  /// The length of the body in bytes; nil when that of a stream is unknown.
  public var length: Int64? {
    var length = Int64(MultipartFraming.closing(boundary, isFirst: parts.isEmpty).count)
    for (index, part) in parts.enumerated() {
      guard let body = part.body.length else { return nil }
      let opening = Int64(MultipartFraming.opening(boundary, part.headerFields, isFirst: index == 0).count)
      let (sum, overflows) = length.addingReportingOverflow(body)
      guard !overflows, sum <= .max - opening else { return nil }
      length = sum + opening
    }
    return length
  }

  /// Returns the body, which can be sent again if all of its parts can.
  ///
  /// - Parameters:
  ///   - clock: The clock that the throttle waits on.
  ///   - fileSystem: The file system that files are read from.
  public func body(
    clock: any NetworkClock = .system, fileSystem: any FileSystem = LocalFileSystem()
  ) -> Body {
    .stream(length: length, replayable: parts.allSatisfy(\.body.isReplayable)) { [self] in
      MultipartChunks(self, clock: clock, fileSystem: fileSystem)
    }
  }

  /// Returns a request with this form as its body.
  ///
  /// A form without parts is one, too: its body is its end.
  public func applied(
    to request: Request, clock: any NetworkClock = .system, fileSystem: any FileSystem = LocalFileSystem()
  ) -> Request {
    var request = request
    request.headerFields[.contentType] = mediaType.description
    request.body = body(clock: clock, fileSystem: fileSystem)
    return request
  }
}

/// The bytes between the parts.
enum MultipartFraming {
  /// Returns the bytes before a part's content.
  static func opening(_ boundary: String, _ fields: HTTPFields, isFirst: Bool) -> Data {
    var text = isFirst ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
    for field in fields { text += "\(field.name.rawName): \(field.value)\r\n" }
    return Data((text + "\r\n").utf8)
  }

  /// Returns the bytes after the last part.
  static func closing(_ boundary: String, isFirst: Bool) -> Data {
    Data((isFirst ? "--\(boundary)--\r\n" : "\r\n--\(boundary)--\r\n").utf8)
  }
}

extension MultipartForm.Part: CustomReflectable {
  /// The fields without secrets, and the body without its bytes.
  public var customMirror: Mirror {
    Mirror(self, children: ["headerFields": Redaction.lines(of: headerFields), "body": body])
  }
}
