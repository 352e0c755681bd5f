import HTTPTypes

/// What every transport refuses before it sends anything.
public enum RequestCheck {
  /// The request's origin.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL`.
  public static func origin(of request: Request) throws(NetworkError) -> Origin {
    try origin(of: request.place.reading)
  }

  /// The origin of a URL that was read already.
  ///
  /// - Throws: As for a request.
  package static func origin(of place: RequestPlace.Reading) throws(NetworkError) -> Origin {
    do throws(InvalidOriginError) {
      return try place.origin.get()
    } catch {
      throw NetworkError(.invalidURL, stage: .preparing, message: error.description, underlying: error)
    }
  }

  /// Looks at all that can be seen without a connection: capabilities, options, method, fields and body.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` when the transport lacks something, else of kind `invalidRequest`.
  public static func validate(
    _ request: Request, in exchange: Exchange, for capabilities: TransportCapabilities
  ) throws(NetworkError) {
    let missing = TransportCapabilities.required(by: request, in: exchange).subtracting(capabilities)
    guard missing.isEmpty else { throw .unsupported(missing, request: request) }
    let timeouts = request.options.timeouts
    let areLongEnough =
      timeouts.connect ?? .nanoseconds(1) > .zero && timeouts.idle ?? .nanoseconds(1) > .zero
      && timeouts.total ?? .nanoseconds(1) > .zero
    guard areLongEnough else { throw refusal("A timeout must be longer than nothing.") }
    if let rate = request.options.rateLimit {
      guard rate.send ?? 1 >= 1, rate.receive ?? 1 >= 1 else {
        throw refusal("A rate must be at least a byte a second.")
      }
    }
    if let path = request.options.unixSocketPath { try checkSocket(path) }
    for override in request.options.addressOverrides {
      guard !override.address.isEmpty, override.address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
        (1...65535).contains(override.addressPort ?? 1)
      else { throw refusal("An address override leads to no address, or to no port of 1 to 65535.") }
    }
    try validate(request)
  }

  /// The proxy of an exchange, its host in canonical form; nil when there is none.
  ///
  /// A transport must not read a proxy in any other way: one without a host would mean no proxy to it.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` when its host or port is none, or its credential is no user name and
  ///   password.
  public static func proxy(of exchange: Exchange) throws(NetworkError) -> Proxy? {
    guard var proxy = exchange.settings.proxy else { return nil }
    guard let place = try? Origin(scheme: .http, host: proxy.host, port: proxy.port) else {
      throw refusal("The proxy's host or port is none.")
    }
    switch proxy.credential {
    case nil, .password: break
    case .bearer, .identity: throw refusal("A proxy takes a user name and a password, and no other credential.")
    }
    proxy.host = place.host
    return proxy
  }

  /// `sun_path` of Linux's `sockaddr_un` has 108 bytes, a NUL at the end included.
  private static func checkSocket(_ path: String) throws(NetworkError) {
    guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
      throw refusal("The path of a Unix socket has 1 to 107 bytes, and no NUL.")
    }
  }

  /// Looks at method, fields and body.
  ///
  /// Refused are `CONNECT` (a transport makes tunnels itself), fields that frame a message (`Transfer-Encoding`, a
  /// `Content-Length` that is not the body's), a `Host` that is not one host, and a body of `TRACE` (RFC 9110 §9.3.8) or
  /// of `HEAD`, which servers take for the start of another request (§9.3.2).
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest`.
  public static func validate(_ request: Request) throws(NetworkError) {
    switch request.method {
    case .connect: throw refusal("CONNECT is the transport's own; send to an https URL through a proxy instead.")
    case .trace where !request.body.isEmpty: throw refusal("TRACE has no body.")
    case .head where !request.body.isEmpty: throw refusal("HEAD has no body.")
    default: break
    }
    guard request.method.rawValue.utf8.count <= 64 else { throw refusal("The method is longer than 64 characters.") }
    var bytes = 0
    for field in request.headerFields {
      bytes += field.name.rawName.utf8.count + field.value.utf8.count
      if field.name == .transferEncoding { throw refusal("Transfer-Encoding is the transport's own.") }
      if field.name == .contentLength { try checkLength(field.value, request.body) }
    }
    guard bytes <= 1 << 20 else { throw refusal("The header fields are larger than 1 MiB.") }
    guard request.headerFields.count(where: { $0.name.canonicalName == "host" }) <= 1 else {
      throw refusal("There is more than one Host.")
    }
  }

  private static func checkLength(_ value: String, _ body: Body) throws(NetworkError) {
    guard let length = body.length, value == String(length) else {
      throw refusal("The Content-Length is not the body's; leave it to the transport.")
    }
  }

  private static func refusal(_ message: String) -> NetworkError {
    NetworkError(.invalidRequest, stage: .preparing, message: message)
  }
}

extension NetworkError {
  /// The refusal of what a transport lacks.
  public static func unsupported(_ missing: TransportCapabilities, request: Request? = nil) -> NetworkError {
    NetworkError(
      .unsupported, stage: .preparing,
      message: "The transport lacks \(missing.names.joined(separator: ", ")), which the request needs."
    ).with { details in
      details.missing = missing
      details.request = request
    }
  }
}
