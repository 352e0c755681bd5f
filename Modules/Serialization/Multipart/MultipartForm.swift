public import CurlewCore
public import FoundationEssentials
import Glibc
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

extension MultipartForm {
  /// Adds a text in UTF-8 as a field without a content type.
  ///
  /// - Parameter name: Any text; quotes and line breaks are escaped as in HTML (`%22`, `%0D`, `%0A`).
  /// - Throws: `NetworkError` of kind `invalidRequest` when the name contains a control character other than a tab.
  public mutating func append(_ text: String, name: String) throws(NetworkError) {
    try append(Data(text.utf8), name: name)
  }

  /// Adds bytes as a field or a file.
  ///
  /// - Parameters:
  ///   - name: The field's name, escaped as for text.
  ///   - fileName: The name that makes it a file, escaped in the same way; nil adds a plain field.
  ///   - mediaType: The type of the bytes; nil sends none.
  /// - Throws: `NetworkError` of kind `invalidRequest` when a name contains a control character other than a tab.
  public mutating func append(
    _ data: Data, name: String, fileName: String? = nil, mediaType: MediaType? = nil
  ) throws(NetworkError) {
    try append(.bytes(data), name: name, fileName: fileName, mediaType: mediaType)
  }

  /// Adds a file, which is opened when it is sent.
  ///
  /// Its length is read now; sending fails if the file's length has changed by then.
  ///
  /// - Parameters:
  ///   - fileName: The name to send; nil means the file's own name, without its path.
  ///   - mediaType: The type of the content; nil derives it from the name's extension, or else uses
  ///     `application/octet-stream`.
  /// - Throws: `NetworkError` of kind `fileError` when the file does not exist or is not a regular one; else as for
  ///   bytes.
  public mutating func append(
    file url: URL, name: String, fileName: String? = nil, mediaType: MediaType? = nil
  ) throws(NetworkError) {
    let body = try Body.file(url)
    let fileName = fileName ?? url.lastPathComponent
    let mediaType = mediaType ?? MediaType(fileExtension: url.pathExtension) ?? .octetStream
    try append(body, name: name, fileName: fileName, mediaType: mediaType)
  }

  /// Adds the file at a path, like the method with a URL.
  ///
  /// - Throws: The same errors.
  public mutating func append(
    file path: String, name: String, fileName: String? = nil, mediaType: MediaType? = nil
  ) throws(NetworkError) {
    let url = URL(filePath: path, directoryHint: .notDirectory)
    try append(file: url, name: name, fileName: fileName, mediaType: mediaType)
  }

  /// Adds any body, such as a stream, whose length is checked while it is sent.
  ///
  /// If a stream does not know its length, the length of the whole form is unknown, and it is sent chunked.
  ///
  /// - Throws: The same errors as for bytes.
  public mutating func append(
    _ body: Body, name: String, fileName: String? = nil, mediaType: MediaType? = nil
  ) throws(NetworkError) {
    var parameters = [FieldParameter(name: "name", value: name)]
    if let fileName { parameters.append(FieldParameter(name: "filename", value: fileName)) }
    var fields = HTTPFields()
    do throws(FieldError) {
      fields[.contentDisposition] = try ContentDisposition(type: "form-data", parameters: parameters)
        .fieldValue(.formData)
    } catch {
      throw NetworkError(
        .invalidRequest, stage: .preparing,
        message: "The name or file name of a part contains a control character.",
        advice: "Remove it; only a tab is allowed.",
        underlying: error)
    }
    fields[.contentType] = mediaType?.description
    append(headerFields: fields, body: body)
  }

  /// Adds a part with any fields and any body.
  public mutating func append(headerFields: HTTPFields, body: Body) {
    parts.append(Part(headerFields: headerFields, body: body))
  }

  /// Adds each parameter as a field of its own.
  ///
  /// Data is added unchanged, a null as an empty field, and anything else as text in UTF-8.
  ///
  /// - Parameter encoding: How names and values are written as text.
  /// - Throws: `NetworkError` of kind `serializationFailed` with a `ParametersError`; else as for bytes.
  public mutating func append(
    _ parameters: Parameters, encoding: QueryEncoding = QueryEncoding()
  ) throws(NetworkError) {
    let pairs: [QueryEncoding.Pair]
    do throws(ParametersError) {
      pairs = try encoding.pairs(parameters)
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .preparing, message: "The parameters cannot be encoded: \(error).",
        underlying: error)
    }
    for pair in pairs {
      if case .data(let data) = pair.values.first, pair.values.count == 1 {
        try append(data, name: pair.name)
      } else {
        try append(pair.values.map { encoding.text(of: $0) ?? "" }.joined(separator: ","), name: pair.name)
      }
    }
  }
}

extension MultipartForm {
  /// Writes the body into a file at a path and returns that as a body; see `spooled(to:fileSystem:)` with a URL.
  @discardableResult
  public func spooled(to path: String, fileSystem: any FileSystem = LocalFileSystem()) async throws -> Body {
    try await spooled(to: URL(filePath: path, directoryHint: .notDirectory), fileSystem: fileSystem)
  }

  /// Writes the body into a file and returns that as a body.
  ///
  /// Use it when the length must be known, or when one-shot streams must be sent twice.
  ///
  /// An existing file is replaced in one step when the body is complete, so it may be one of the form's own parts; it keeps its
  /// permissions, and a symbolic link to it stays. A new file can be read by its owner only. After an error the path is as it was.
  /// The throttle does not apply.
  ///
  /// - Parameter url: A `file` URL.
  /// - Returns: The file as a body, which can be sent again.
  /// - Throws: `NetworkError` of kind `fileError`, for example when the disk is full, or `bodyLengthMismatch`; the
  ///   error of a stream; `CancellationError`.
  @discardableResult
  public func spooled(to url: URL, fileSystem: any FileSystem = LocalFileSystem()) async throws -> Body {
    guard url.isFileURL else {
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "\(Redaction.name(of: url)) is not a file URL.",
        advice: "Make one with URL(filePath:), or give a path.")
    }
    var form = self
    form.throttle = nil
    var length: Int64 = 0
    var temporary: String?
    do {
      let (path, old) = try Self.target(url.path(percentEncoded: false), in: fileSystem)
      let name = Self.temporaryName(beside: path)
      let file = try fileSystem.open(name, [.write, .create, .exclusive, .noFollow])
      temporary = name
      let chunks = MultipartChunks(form, clock: .system, fileSystem: fileSystem)
      while let chunk = try await chunks.next() {
        try Task.checkCancellation()
        // Safe because the bytes are only read during the call.
        try chunk.withUnsafeBytes { try file.write($0, at: length) }
        length += Int64(chunk.count)
      }
      if let old { try file.setPermissions(old.permissions) }
      try file.close()
      try fileSystem.rename(name, to: path)
    } catch {
      if let temporary { try? fileSystem.remove(temporary) }
      guard let error = error as? FileSystemError else { throw error }
      throw NetworkError(
        .fileError, stage: .preparing,
        message: "The form cannot be written to \(url.path(percentEncoded: false)): \(error.reason).",
        advice: error.advice,
        underlying: error)
    }
    return try Body.file(url)
  }

  /// Returns the path of the file to replace, behind a symbolic link, and its status; nil if there is none.
  private static func target(
    _ path: String, in files: any FileSystem
  ) throws(FileSystemError) -> (String, FileStatus?) {
    guard let old = try files.status(path) else { return (path, nil) }
    guard old.kind == .regular else {
      throw FileSystemError(code: old.kind == .directory ? EISDIR : EINVAL, operation: "open", path: path)
    }
    return (try files.resolved(path), old)
  }

  private static func temporaryName(beside path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    return path[..<start] + ".curlew-\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
  }
}
