import HTTPTypes

/// Checks that every transport makes before it sends anything.
public enum RequestCheck {
  /// Returns the request's origin.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL`.
  public static func origin(of request: Request) throws(NetworkError) -> Origin {
    try origin(of: request.parsedURL.reading)
  }

  /// Returns the origin of a parsed URL.
  ///
  /// - Throws: The same error as for a request.
  package static func origin(of url: ParsedURL.Reading) throws(NetworkError) -> Origin {
    do throws(InvalidOriginError) {
      return try url.origin.get()
    } catch {
      throw NetworkError(
        .invalidURL, stage: .preparing, message: error.message, advice: error.advice, underlying: error)
    }
  }

  /// Checks that a transport has the capabilities that a request needs.
  ///
  /// - Throws: `NetworkError` of kind `unsupported`.
  package static func requireCapabilities(
    _ capabilities: TransportCapabilities, for request: Request, in exchange: Exchange
  ) throws(NetworkError) {
    let missing = TransportCapabilities.required(by: request, in: exchange).subtracting(capabilities)
    guard missing.isEmpty else { throw .unsupported(missing, request: request) }
  }

  /// Checks everything that needs no connection.
  ///
  /// That is: capabilities, options, method, fields and body.
  ///
  /// - Throws: `NetworkError` of kind `unsupported` when the transport lacks a capability, otherwise of kind
  ///   `invalidRequest`.
  public static func validate(
    _ request: Request, in exchange: Exchange, for capabilities: TransportCapabilities
  ) throws(NetworkError) {
    try requireCapabilities(capabilities, for: request, in: exchange)
    let timeouts = request.options.timeouts
    let areLongEnough =
      timeouts.connect ?? .nanoseconds(1) > .zero && timeouts.idle ?? .nanoseconds(1) > .zero
      && timeouts.total ?? .nanoseconds(1) > .zero
    guard areLongEnough else { throw refusal("A timeout must be longer than zero.") }
    if let rate = request.options.rateLimit {
      guard rate.send ?? 1 >= 1, rate.receive ?? 1 >= 1 else {
        throw refusal("A rate limit must be at least one byte per second.")
      }
    }
    if let path = request.options.unixSocketPath { try checkSocket(path) }
    for override in request.options.addressOverrides {
      guard !override.address.isEmpty, override.address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
        (1...65535).contains(override.addressPort ?? 1)
      else { throw refusal("An address override needs an address, and a port from 1 to 65535.") }
    }
    try validate(request)
  }

  /// Returns the proxy of an exchange with its host in canonical form, if any.
  ///
  /// A transport must read the proxy this way only: it could take a proxy without a host for no proxy.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` when its host or port is invalid, its credential is not a user name
  ///   and password without a NUL, or its authorization is not a field value.
  public static func proxy(of exchange: Exchange) throws(NetworkError) -> Proxy? {
    guard var proxy = exchange.settings.proxy else { return nil }
    guard let place = try? Origin(scheme: .http, host: proxy.host, port: proxy.port) else {
      throw refusal(
        "The proxy's host or port is invalid.",
        "Give the host alone, and the port beside it, as in `Proxy(host: \"proxy.example.com\", port: 3128)`.")
    }
    switch proxy.credential {
    case nil: break
    case .password(let user, let password):
      // C strings end there, so a transport could send only a part.
      guard !user.utf8.contains(0), !password.utf8.contains(0) else {
        throw refusal("The proxy's user name or password contains a NUL.")
      }
    case .bearer, .identity, .serverTrust:
      throw refusal("A proxy's credential must be a user name and a password.")
    }
    if let value = proxy.authorization, !value.utf8.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) {
      throw refusal("The proxy's authorization contains a control character.")
    }
    proxy.host = place.host
    return proxy
  }

  /// `sun_path` in Linux's `sockaddr_un` has 108 bytes, including the final NUL.
  private static func checkSocket(_ path: String) throws(NetworkError) {
    guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
      throw refusal("The path of a Unix socket must have 1 to 107 bytes and no NUL.")
    }
  }

  /// Checks method, fields and body.
  ///
  /// It rejects `CONNECT` (transports create tunnels themselves), fields that frame a message (`Transfer-Encoding`, a
  /// `Content-Length` that differs from the body's), an invalid `Host`, and a body with `TRACE` (RFC 9110 §9.3.8) or
  /// `HEAD`, which servers take for the start of another request (§9.3.2).
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest`.
  public static func validate(_ request: Request) throws(NetworkError) {
    switch request.method {
    case .connect: throw refusal("A request cannot use CONNECT.", "Send to an https URL through a proxy instead.")
    case .trace where !request.body.isEmpty: throw refusal("A TRACE request must not have a body.")
    case .head where !request.body.isEmpty: throw refusal("A HEAD request must not have a body.")
    default: break
    }
    guard request.method.rawValue.utf8.count <= 64 else { throw refusal("The method is longer than 64 characters.") }
    var bytes = 0
    for field in request.headerFields {
      bytes += field.name.rawName.utf8.count + field.value.utf8.count
      if field.name == .transferEncoding {
        throw refusal("Transfer-Encoding must not be set.", "Leave the field to the transport.")
      }
      if field.name == .contentLength { try checkLength(field.value, request.body) }
    }
    guard bytes <= 1 << 20 else { throw refusal("The header fields are larger than 1 MiB.") }
    guard request.headerFields.count(where: { $0.name.canonicalName == "host" }) <= 1 else {
      throw refusal("There is more than one Host field.")
    }
  }

  private static func checkLength(_ value: String, _ body: Body) throws(NetworkError) {
    guard let length = body.length, value == String(length) else {
      throw refusal("The Content-Length differs from the body's length.", "Leave the field to the transport.")
    }
  }

  private static func refusal(_ message: String, _ advice: String? = nil) -> NetworkError {
    NetworkError(.invalidRequest, stage: .preparing, message: message, advice: advice)
  }
}

extension NetworkError {
  /// Returns the error for missing capabilities.
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
