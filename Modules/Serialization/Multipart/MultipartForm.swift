public import CurlewCore
import FoundationEssentials
public import HTTPTypes

/// A `multipart/form-data` body that is written while it is sent (RFC 7578).
///
/// Parts come from memory, from files and from streams, in the order they were added. The length is exact and known
/// before the first byte; memory does not grow with the parts. A part that turns out longer or shorter than it was when it
/// was added ends the request with an error, before a wrong byte count could.
///
/// ```swift
/// var form = MultipartForm()
/// try form.append("Curlew", name: "title")
/// try form.append(file: photo, name: "photo")
/// let request = form.applied(to: try Request(.post, "https://example.org/upload"))
/// ```
public struct MultipartForm: Sendable {
  /// One part.
  public struct Part: Sendable {
    /// Its fields, in the order they are written.
    public var headerFields: HTTPFields
    /// Its bytes.
    public var body: Body

    /// Makes a part of any fields and any body.
    public init(headerFields: HTTPFields, body: Body) {
      self.headerFields = headerFields
      self.body = body
    }
  }

  /// How fast the body is made.
  public struct Throttle: Sendable, Hashable {
    /// The most bytes at once, 1….
    public var packetBytes: Int
    /// How long to wait after each packet.
    public var delay: Duration

    /// Makes a throttle; unless told, one for slow mobile networks: 16 KiB each 0.2 s, about 80 KB/s.
    public init(packetBytes: Int = 16_384, delay: Duration = .milliseconds(200)) {
      self.packetBytes = max(1, packetBytes)
      self.delay = delay
    }
  }

  /// What stands between the parts; valid by RFC 2046 §5.1.1.
  public let boundary: String
  /// The parts, in order.
  public var parts: [Part] = []
  /// How fast the body is made; nil is as fast as it is taken. A body sent again is throttled again.
  public var throttle: Throttle?

  /// Makes a form without parts, with a boundary no one can foresee.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// Makes a form whose boundary comes from a generator.
  public init(using generator: inout some RandomNumberGenerator) {
    let digits = String(generator.next() as UInt64, radix: 16, uppercase: true)
    boundary = "Boundary+" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Makes a form with a boundary that is known not to occur in its parts.
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

  /// How many bytes the body has; nil when a stream part does not know.
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

  /// The body, which can be sent again when each of its parts can.
  ///
  /// - Parameters:
  ///   - clock: Waits for the throttle.
  ///   - fileSystem: Reads the files.
  public func body(
    clock: any NetworkClock = .system, fileSystem: any FileSystem = LocalFileSystem()
  ) -> Body {
    .stream(length: length, replayable: parts.allSatisfy(\.body.isReplayable)) { [self] in
      MultipartChunks(self, clock: clock, fileSystem: fileSystem)
    }
  }

  /// A request with this form as its body; unchanged when there are no parts.
  public func applied(
    to request: Request, clock: any NetworkClock = .system, fileSystem: any FileSystem = LocalFileSystem()
  ) -> Request {
    guard !parts.isEmpty else { return request }
    var request = request
    request.headerFields[.contentType] = mediaType.description
    request.body = body(clock: clock, fileSystem: fileSystem)
    return request
  }
}

/// The bytes between the parts.
enum MultipartFraming {
  /// What comes before a part's bytes.
  static func opening(_ boundary: String, _ fields: HTTPFields, isFirst: Bool) -> Data {
    var text = isFirst ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
    for field in fields { text += "\(field.name.rawName): \(field.value)\r\n" }
    return Data((text + "\r\n").utf8)
  }

  /// What comes after the last part.
  static func closing(_ boundary: String, isFirst: Bool) -> Data {
    Data((isFirst ? "--\(boundary)--\r\n" : "\r\n--\(boundary)--\r\n").utf8)
  }
}
