public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

extension MultipartForm {
  /// Adds text, in UTF-8, as a field without a type of its own.
  ///
  /// - Parameter name: Any text; quotes and line breaks are escaped as HTML has it (`%22`, `%0D`, `%0A`).
  /// - Throws: `NetworkError` of kind `invalidRequest` when the name holds another control character than a tab.
  public mutating func append(_ text: String, name: String) throws(NetworkError) {
    try append(Data(text.utf8), name: name)
  }

  /// Adds bytes.
  ///
  /// - Parameters:
  ///   - name: The field's name, escaped as for text.
  ///   - fileName: Makes it a file; escaped in the same way. Nil makes it a plain field.
  ///   - mediaType: What the bytes are; nil says nothing.
  /// - Throws: `NetworkError` of kind `invalidRequest` when a name holds another control character than a tab.
  public mutating func append(
    _ data: Data, name: String, fileName: String? = nil, mediaType: MediaType? = nil
  ) throws(NetworkError) {
    try append(.bytes(data), name: name, fileName: fileName, mediaType: mediaType)
  }

  /// Adds a file, which is opened when it is sent.
  ///
  /// Its length is fixed now; a file that has another when it is sent is an error.
  ///
  /// - Parameters:
  ///   - fileName: The name to send; nil is the file's own, without its path.
  ///   - mediaType: What is in it; nil goes by the name's extension, else is `application/octet-stream`.
  /// - Throws: `NetworkError` of kind `fileError` when the file is not there or not a regular one; else as for bytes.
  public mutating func append(
    file url: URL, name: String, fileName: String? = nil, mediaType: MediaType? = nil
  ) throws(NetworkError) {
    let body = try Body.file(url)
    let fileName = fileName ?? url.lastPathComponent
    let mediaType = mediaType ?? MediaType(fileExtension: url.pathExtension) ?? .octetStream
    try append(body, name: name, fileName: fileName, mediaType: mediaType)
  }

  /// Adds any body: a stream for instance, whose length is then checked while it is sent.
  ///
  /// A stream that does not know its length makes the length of the whole unknown, so that it is sent chunked.
  ///
  /// - Throws: As for bytes.
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
        .invalidRequest, stage: .preparing, message: "A part's name holds a control character.", underlying: error)
    }
    fields[.contentType] = mediaType?.description
    append(headerFields: fields, body: body)
  }

  /// Adds a part of any fields and any body.
  public mutating func append(headerFields: HTTPFields, body: Body) {
    parts.append(Part(headerFields: headerFields, body: body))
  }

  /// Adds parameters, each as a field of its own: data as it is, a null as nothing, all else as text in UTF-8.
  ///
  /// - Parameter encoding: How names are made, and values become text.
  /// - Throws: `NetworkError` of kind `serializationFailed` with a `ParametersError`; else as for bytes.
  public mutating func append(
    _ parameters: Parameters, encoding: QueryEncoding = QueryEncoding()
  ) throws(NetworkError) {
    let pairs: [QueryEncoding.Pair]
    do throws(ParametersError) {
      pairs = try encoding.pairs(parameters)
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .preparing, message: "The parameters cannot be written: \(error).",
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
