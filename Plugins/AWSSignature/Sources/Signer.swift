import CurlewCore
import CurlewDigests
import FoundationEssentials
import HTTPTypes

/// Signs requests with one set of credentials at one time; performs no I/O.
struct Signer {
  private static let algorithm = "AWS4-HMAC-SHA256"

  private let credentials: AWSCredentials
  private let key: SigningKey
  private let isStorage: Bool

  /// Creates a signer.
  ///
  /// - Throws: `AWSCredentialsError` of kind `malformed`; `DigestError`.
  init(_ credentials: AWSCredentials, region: String, service: String, at date: Date) throws {
    let texts = [credentials.accessKeyID, credentials.sessionToken ?? "none", region, service]
    // They are written into a field, whose parts are separated by commas, slashes and spaces.
    guard texts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2C } }) else {
      throw AWSCredentialsError(
        kind: .malformed,
        message: "The access key, session token, region and service must be visible ASCII without spaces and commas.")
    }
    self.credentials = credentials
    isStorage = Self.signsObjects(service)
    let time = (InternetDate.text(date) ?? "").filter { $0 != "-" && $0 != ":" }
    key = try SigningKey(credentials.secretAccessKey, time: time, region: region, service: service)
  }

  /// Whether a service signs paths as keys of objects, and wants the hash of the payload in a field.
  static func signsObjects(_ service: String) -> Bool { ["s3", "s3-outposts", "s3-object-lambda"].contains(service) }

  /// Returns a request with its signature in fields.
  ///
  /// - Parameter payload: The hash of the content, or `UNSIGNED-PAYLOAD`.
  func signed(_ request: Request, to origin: Origin, payload: String) throws -> Request {
    let target = SignedTarget(try request.target, isObject: isStorage)
    var request = try request.with(target, at: origin)
    request.headerFields[.amzDate] = key.time
    request.headerFields[.amzSecurityToken] = credentials.sessionToken
    if isStorage || payload == PayloadHash.unsigned { request.headerFields[.amzContentSHA256] = payload }
    let fields = SignedFields(request, origin)
    let canonical = [request.method.rawValue, target.path, target.query, fields.lines, fields.names, payload]
    let signature = try key.signature(of: canonical.joined(separator: "\n"))
    request.headerFields[.authorization] =
      "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(key.scope), SignedHeaders=\(fields.names), "
      + "Signature=\(signature)"
    return request
  }

  /// Returns the request's URL with its signature in the query.
  ///
  /// - Parameters:
  ///   - payload: The hash of the content, for a service other than S3.
  ///   - lifetime: How long the URL is valid, in seconds.
  func presigned(_ request: Request, to origin: Origin, payload: String, lifetime: Int64) throws -> URL {
    let fields = SignedFields(request, origin)
    var items = [
      ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", credentials.accessKeyID + "/" + key.scope),
      ("X-Amz-Date", key.time), ("X-Amz-Expires", String(lifetime)), ("X-Amz-SignedHeaders", fields.names),
    ]
    if let token = credentials.sessionToken { items.append(("X-Amz-Security-Token", token)) }
    let added = items.map { $0.0 + "=" + PercentEncoding.encoded($0.1.utf8) }.joined(separator: "&")
    let given = SignedTarget(try request.target, isObject: isStorage).sent
    let target = SignedTarget(given + (given.contains("?") ? "&" : "?") + added, isObject: isStorage)
    let payload = isStorage ? PayloadHash.unsigned : payload
    let canonical = [request.method.rawValue, target.path, target.query, fields.lines, fields.names, payload]
    let signature = try key.signature(of: canonical.joined(separator: "\n"))
    return try Self.url(origin, target.sent + "&X-Amz-Signature=" + signature)
  }

  static func url(_ origin: Origin, _ target: String) throws -> URL {
    guard let url = URL(string: origin.description + target) else {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: "The URL cannot be written as it is signed.",
        advice: "Percent-encode its path.")
    }
    return url
  }
}

/// The fields of a request in the form in which both sides sign them.
struct SignedFields {
  /// One line for each name, with an empty one at the end.
  let lines: String
  /// The names, separated by semicolons.
  let names: String

  /// Selects all fields of a request that arrive as they are sent.
  ///
  /// Fields of the same name are one line, in which their values are separated by commas.
  init(_ request: Request, _ origin: Origin) {
    var values: [String: [String]] = [:]
    for field in request.headerFields where !Self.changing.contains(field.name.canonicalName) {
      let text = field.withUnsafeBytesOfValue { String(decoding: $0, as: UTF8.self) }
      let words = text.utf8.split { $0 == 0x20 || $0 == 0x09 }.map { String(Substring($0)) }
      values[field.name.canonicalName, default: []].append(words.joined(separator: " "))
    }
    if values["host"] == nil { values["host"] = [origin.authority] }
    let sorted = values.sorted { $0.key < $1.key }
    lines = sorted.map { $0.key + ":" + $0.value.joined(separator: ",") + "\n" }.joined()
    names = sorted.map(\.key).joined(separator: ";")
  }

  /// Fields that the transport or something on the way may change, and that are therefore not signed.
  private static let changing: Set<String> = [
    "authorization", "connection", "content-length", "expect", "keep-alive", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "upgrade", "user-agent", "via", "x-amzn-trace-id", "x-forwarded-for",
  ]
}

extension Request {
  /// Returns the request with the URL that is signed.
  fileprivate func with(_ target: SignedTarget, at origin: Origin) throws -> Request {
    guard try self.target != target.sent else { return self }
    var request = self
    request.url = try Signer.url(origin, target.sent)
    return request
  }
}

extension HTTPField.Name {
  // Safe because each of these is a token.
  static let amzDate = HTTPField.Name("X-Amz-Date")!
  static let amzContentSHA256 = HTTPField.Name("X-Amz-Content-Sha256")!
  static let amzSecurityToken = HTTPField.Name("X-Amz-Security-Token")!
}
