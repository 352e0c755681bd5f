public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

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
        message: "The name or file name of a part contains a control character; only a tab is allowed.",
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
