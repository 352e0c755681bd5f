import ArgumentParser
import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes

/// The options about the request's body.
struct BodyArguments: ParsableArguments {
  @Option(
    name: .customLong("json"),
    help: ArgumentHelp("A JSON body; @FILE reads it from a file, @- from standard input.", valueName: "text|@file"))
  var jsonTexts: [String] = []

  /// The JSON body; `validate` refuses a second one.
  var json: String? {
    get { jsonTexts.last }
    set { jsonTexts = newValue.map { [$0] } ?? [] }
  }

  @Option(
    name: [.customShort("d"), .long],
    help: ArgumentHelp(
      """
      A body as an HTML form sends it; several are joined with &. @FILE reads it from a file, without its line ends. Its type is \
      application/x-www-form-urlencoded unless -H says otherwise.
      """,
      valueName: "text|@file"))
  var data: [String] = []

  @Option(
    help: ArgumentHelp("The same as --data, but a @ at its beginning is sent and names no file.", valueName: "text"))
  var dataRaw: [String] = []

  @Option(
    name: .customLong("data-binary"),
    help: ArgumentHelp(
      "A body that is sent unchanged; @FILE reads it from a file, @- from standard input.", valueName: "text|@file"))
  var binaryTexts: [String] = []

  /// The body that is sent unchanged; `validate` refuses a second one.
  var dataBinary: String? {
    get { binaryTexts.last }
    set { binaryTexts = newValue.map { [$0] } ?? [] }
  }

  @Option(
    help: ArgumentHelp(
      "A field of an urlencoded form; without one, before the URL, the items behind the URL are the fields.",
      valueName: "name=value"), transform: NameValueArgument.read)
  var form: [NameValueArgument] = []

  @Flag(help: ArgumentHelp("Send the items behind the URL as a form, as --form alone does.", visibility: .hidden))
  var asForm = false

  @Option(
    name: [.customShort("F"), .long],
    help: ArgumentHelp(
      "A part of a multipart form; @FILE takes a file, whose type is by its name unless told.",
      valueName: "name=value|name=@file[;type=…]"), transform: PartArgument.read)
  var part: [PartArgument] = []

  @Option(
    name: [.customShort("T"), .long],
    help: ArgumentHelp(
      "Send a file with PUT, - standard input; a URL that ends with / gets the file's name.", valueName: "file"),
    transform: checkedPath)
  var uploadFile: String?

  /// Whether items are fields of a form, and not of a JSON object.
  var isForm: Bool { asForm || !form.isEmpty }

  var hasBody: Bool { kinds > 0 }

  /// The number of times that standard input is used.
  var standardInputUses: Int {
    part.count { $0.isStandardInput }
      + ([json, dataBinary] + data + [uploadFile.map { "@" + $0 }]).count { $0 == "@-" }
  }

  private var kinds: Int {
    [json != nil, !data.isEmpty, !dataRaw.isEmpty, dataBinary != nil, !form.isEmpty, !part.isEmpty, uploadFile != nil]
      .count { $0 }
  }

  func validate() throws {
    for (name, texts) in [("--json", jsonTexts), ("--data-binary", binaryTexts)] where texts.count > 1 {
      throw ValidationError("\(name) is given \(texts.count) times; give one whole body.")
    }
    if kinds > 1 {
      throw ValidationError(
        "--json, --data, --data-raw, --data-binary, --form, --part and --upload-file exclude each other.")
    }
    // curl's --form is -F, which sends files.
    for field in form
    where field.value.hasPrefix("@") && FileManager.default.fileExists(atPath: "\(field.value.dropFirst())") {
      let text = "\(field.name)=\(field.value)"
      throw ValidationError(
        "--form '\(text)' would send these characters and no file. Write -F '\(text)' to send the file, or --data '\(try [field].encoded)'."
      )
    }
  }

  /// Sets the body of a request, and its header fields unless they are set.
  ///
  /// - Parameter asQuery: Whether `--data` and `--form` are added to the URL's query instead.
  /// - Throws: `ValidationError`.
  func apply(to request: inout Request, asQuery: Bool = false) throws {
    if asQuery {
      guard json == nil, dataBinary == nil, part.isEmpty, uploadFile == nil else {
        throw ValidationError("--get sends only --data, --data-raw and --form.")
      }
      let query = try pieces.map { String(decoding: $0, as: UTF8.self) } ?? form.encoded
      guard let url = try? request.url.appendingQuery(query) else {
        throw ValidationError("The data cannot be sent as a query; write it percent-encoded.")
      }
      request.url = url
    } else if let pieces = try pieces {
      request.body = .bytes(pieces)
      request.setContentType(.formURLEncoded)
    } else if let uploadFile {
      request.body = try Self.body("@" + uploadFile)
    } else if let text = json ?? dataBinary {
      request.body = try Self.body(text)
      request.setContentType(json == nil ? .octetStream : .json)
      if json != nil, request.headerFields[.accept] == nil { request.headerFields[.accept] = "application/json" }
    } else if !form.isEmpty {
      request.body = .text(try form.encoded)
      request.setContentType(.formURLEncoded)
    } else if !part.isEmpty {
      var form = MultipartForm()
      for part in part { try part.append(to: &form) }
      request = form.applied(to: request)
    }
  }

  /// The pieces of `--data` or `--data-raw`, joined; nil if there are none.
  private var pieces: Data? {
    get throws {
      if !dataRaw.isEmpty { return Data(dataRaw.joined(separator: "&").utf8) }
      return data.isEmpty ? nil : try Self.joined(data)
    }
  }

  /// Returns the pieces of `--data`, joined with `&`; those of files without their line ends.
  private static func joined(_ pieces: [String]) throws -> Data {
    var bytes = Data()
    for (index, piece) in pieces.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "&")) }
      guard let path = piece.fileReference.map(String.init) else {
        bytes.append(contentsOf: piece.utf8)
        continue
      }
      bytes.append(try contents(of: path, as: " as a body").withoutLineEnds)
    }
    return bytes
  }

  /// Returns the bytes of a short file, or of standard input, at once; it may be a pipe.
  ///
  /// - Parameters:
  ///   - start: The start of the error's sentence.
  ///   - use: What it is read as, for that sentence.
  /// - Throws: `ValidationError`.
  static func contents(of path: String, _ start: String = "", as use: String = "") throws -> Data {
    do throws(FileSystemError) {
      let input =
        path == "-" ? StreamDescriptor(borrowing: 0, for: .reading) : try StreamDescriptor(path, for: .reading)
      var bytes = Data()
      while case let more = try input.read(upTo: 65_536), !more.isEmpty { bytes.append(more) }
      return bytes
    } catch {
      throw ValidationError("\(start)'\(path)' cannot be read\(use): \(error.reason).")
    }
  }

  /// Returns the URL of an upload: one that ends with a slash, or has no path, gets the name of the file, as with curl.
  func uploadURL(_ url: String) -> String {
    guard let uploadFile, uploadFile != "-", let name = uploadFile.split(separator: "/").last else { return url }
    let path = url.prefix { !"?#".contains($0) }
    let start = path.firstRange(of: "://")?.upperBound ?? path.startIndex
    let slash = path[start...].contains("/") ? "" : "/"
    guard path.hasSuffix("/") || !slash.isEmpty else { return url }
    return path + slash + name.percentEncoded + url[path.endIndex...]
  }

  private static func body(_ text: String) throws -> Body {
    guard let path = text.fileReference.map(String.init) else { return .text(text) }
    if path == "-" { return .standardInput }
    do {
      return try .file(URL(filePath: path))
    } catch {
      throw ValidationError("'\(path)' cannot be read as a body: \(error.messageAndAdvice)")
    }
  }
}

extension Data {
  /// The bytes without line ends and NUL, as `--data` and `--write-out` read a file.
  var withoutLineEnds: Data { filter { ![UInt8(ascii: "\r"), UInt8(ascii: "\n"), 0].contains($0) } }
}

extension Substring {
  /// The text as a segment of a URL's path: all but unreserved characters (RFC 3986 §2.3) encoded.
  var percentEncoded: String {
    utf8.map { byte in
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      if isLetter || (0x30...0x39).contains(byte) || "-._~".utf8.contains(byte) {
        return String(UnicodeScalar(byte))
      }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

extension [NameValueArgument] {
  /// The pairs encoded as a query or a form, in order.
  var encoded: String {
    get throws {
      var encoding = QueryEncoding()
      encoding.order = .source
      return try encoding.string(.object(map { Parameters.Member($0.name, .string($0.value)) }))
    }
  }
}

extension Body {
  /// A body that is read from standard input while it is sent, once.
  static var standardInput: Body { .stream(replayable: false) { StandardInput() } }
}

private final class StandardInput: BodyChunks {
  func next() async throws -> Data? {
    let bytes = try await BlockingInput.standard.read()
    return bytes.isEmpty ? nil : bytes
  }
}
