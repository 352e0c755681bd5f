import CLibcurl
import COpenSSL
import CurlewCore
import FoundationEssentials

/// Three locks that bind a connection to the trust policy that verified it.
///
/// 1. libcurl compares the option `CAPATH` when it matches connections, so policy, client identity and proxy account are encoded in
///   it, as a path that does not exist. (That also avoids parsing the system's anchors for each connection.)
/// 2. libcurl resumes no TLS sessions, because it neither verifies a resumed session nor knows who did. Curlew resumes a session
///    only under the terms that verified it (`SessionKey`), and only if the evaluator accepts its chain again (`Handshake`).
///    Where a stapled OCSP response is required, nothing is resumed, because a resumed handshake has none.
/// 3. Right before a request is sent, the `SSL` of its connection must have the tag of the request's policy. A resumed connection
///    has the tag that its session brought with it.
enum TrustLocks {
  /// The terms under which a connection may be used.
  final class Terms: Sendable {
    let evaluator: any ServerTrustEvaluating
    let identity: ClientIdentity?
    let host: String
    let port: Int
    let clock: any NetworkClock
    let requirements: HandshakeRequirements
    /// The policy, the identity and the account at the proxy, as 64 hexadecimal digits.
    let tag: String

    fileprivate init(
      _ origin: Origin, _ evaluator: any ServerTrustEvaluating, _ settings: ExchangeSettings, _ proxy: Proxy?
    ) {
      self.evaluator = evaluator
      identity = settings.clientIdentity
      host = origin.host
      port = origin.port
      clock = settings.clock
      requirements = evaluator.requirements
      tag = ConnectionTag.of(evaluator.connectionKey, requirements, settings.clientIdentity, proxy)
    }
  }

  /// Returns the terms of a request; nil for plain `http`.
  ///
  /// - Throws: `NetworkError` of kind `serverTrustRefused` when the policy refuses plain `http`.
  static func terms(
    _ origin: Origin, _ exchange: Exchange, _ configuration: CurlTransport.Configuration, _ proxy: Proxy?
  ) throws(NetworkError) -> Terms? {
    if origin.scheme == .https {
      let evaluator = exchange.settings.serverTrust ?? configuration.defaultServerTrust
      return Terms(origin, evaluator, exchange.settings, proxy)
    }
    let refusesPlainHTTP =
      exchange.hasServerTrust
      ? exchange.settings.serverTrust?.requirements.refusesPlainHTTP ?? false
      : configuration.defaultServerTrust.requirements.refusesPlainHTTP
    guard !refusesPlainHTTP else {
      throw NetworkError(
        .serverTrustRefused, stage: .preparing, message: "The trust policy refuses plain http.", advice: "Use https.")
    }
    return nil
  }

  /// Called when libcurl has created the TLS context of a new connection.
  static let contextCallback: curlew_ssl_callback = { _, tls, pointer in
    guard let tls, let pointer else { return CURLE_SSL_CONNECT_ERROR }
    let flight = Unmanaged<CurlFlight>.fromOpaque(pointer).takeUnretainedValue()
    guard let terms = flight.plan.trust, let indices = ExDataIndices.shared else { return CURLE_SSL_CONNECT_ERROR }
    let context = OpaquePointer(tls)
    // Lock 2: libcurl keeps nothing that can be resumed.
    let locks = flight.loop.configuration.trustLocks
    if locks.contains(.ownSessions) { curlew_ssl_forget_sessions(context) }
    let mayResume = locks.contains(.ownSessions) && !terms.requirements.requiresStapledOCSP
    let key = mayResume ? SessionKey(terms, flight.plan, locks) : nil
    let handshake = Unmanaged.passRetained(Handshake(terms, flight, resuming: key)).toOpaque()
    guard SSL_CTX_set_ex_data(context, indices.context, handshake) == 1 else {
      Unmanaged<Handshake>.fromOpaque(handshake).release()
      return CURLE_OUT_OF_MEMORY
    }
    // Called if the server asks for an identity and libcurl has none; 0 continues without.
    SSL_CTX_set_client_cert_cb(context) { ssl, _, _ in
      Handshake.noteLackOfIdentity(ssl)
      return 0
    }
    SSL_CTX_set_cert_verify_callback(context, { store, _ in Handshake.verify(store) }, nil)
    if terms.requirements.requiresStapledOCSP {
      curlew_ssl_ask_for_staple(context) { ssl, _ in Handshake.stapleSettled(ssl) }
    }
    if mayResume {
      curlew_ssl_give_sessions(context) { ssl, session in
        Handshake.keep(session, of: ssl)
        return 0
      }
    }
    // libcurl has set a callback of its own if the variable SSLKEYLOGFILE names a file; only the app asks for a key log.
    SSL_CTX_set_keylog_callback(context, nil)
    if flight.loop.keyLog != nil { SSL_CTX_set_keylog_callback(context, { Handshake.log($0, $1) }) }
    SSL_CTX_set_info_callback(context, { Handshake.note($0, $1, $2) })
    return CURLE_OK
  }
}

extension TrustLocks.Terms {
  /// Sets the options of libcurl; returns false if memory is exhausted.
  ///
  /// - Parameter lane: The name of a lane whose connections are kept apart; nil for the first lane.
  func apply(to easy: EasyHandle, for flight: CurlFlight, lane: String?) -> Bool {
    let locks = flight.loop.configuration.trustLocks
    if CurlLibrary.loaded.has(.serverTrust) {
      curlew_set_ssl_callback(easy, TrustLocks.contextCallback)
      curlew_set_pointer(easy, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(flight).toOpaque())
    }
    curlew_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
    // The evaluator checks the host, inside the handshake.
    curlew_set_long(easy, CURLOPT_SSL_VERIFYHOST, 0)
    curlew_set_string(easy, CURLOPT_CAINFO, nil)
    // Lock 1.
    let policy = locks.contains(.connectionMatch) ? tag : "any"
    var name = lane.map { "\(policy)-\($0)" } ?? policy
    // A request that may use HTTP/2 must not get a connection that offered only HTTP/1.1, nor the reverse.
    if flight.plan.version != HTTPOffer.usual { name += "-\(flight.plan.version)" }
    var isSet = curlew_set_string(easy, CURLOPT_CAPATH, "/nonexistent/curlew/" + name) == CURLE_OK
    let version = requirements.leastVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
    // The constant has different integer types in different versions of libcurl.
    curlew_set_long(easy, CURLOPT_SSLVERSION, Int(version))
    curlew_set_long(easy, CURLOPT_SSL_SESSIONID_CACHE, locks.contains(.ownSessions) ? 0 : 1)
    guard let identity else { return isSet }
    isSet = Self.set(easy, CURLOPT_SSLCERT_BLOB, identity.certificateChain) && isSet
    isSet = Self.set(easy, CURLOPT_SSLKEY_BLOB, identity.privateKey) && isSet
    return isSet
  }

  private static func set(_ easy: EasyHandle, _ option: CURLoption, _ data: Data) -> Bool {
    var bytes = [UInt8](data)
    let count = bytes.count
    return bytes.withUnsafeMutableBytes { curlew_set_blob(easy, option, $0.baseAddress, count) } == CURLE_OK
  }

  /// Lock 3: returns nil if a connection was verified under these terms.
  func gate(_ seal: VerifiedTag?) -> ServerTrustError? {
    if let seal, seal.tag == tag { return nil }
    return ServerTrustError(.policy, message: "The connection was not verified under this request's trust policy.")
  }
}

extension NetworkError {
  /// Returns the error for a refused connection, or its refused use.
  static func refused(_ trust: ServerTrustError) -> NetworkError {
    NetworkError(.serverTrustRefused, stage: .securing, message: trust.message).with { $0.trust = trust }
  }
}

/// Switches for the locks of `TrustLocks`, to test each without the others.
///
/// They have package access, so no code outside this package can open a lock.
package struct TrustLockSwitches: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Lock 1: libcurl matches connections by trust policy and client identity.
  package static let connectionMatch = TrustLockSwitches(rawValue: 1)
  /// Lock 2: libcurl resumes no TLS session; Curlew does, see `TLSSessions`.
  package static let ownSessions = TrustLockSwitches(rawValue: 2)
  /// Lock 3: the connection's tag is compared right before a request is sent.
  package static let gate = TrustLockSwitches(rawValue: 4)
  /// Lock 2: a TLS session is resumed only under the terms that verified it, and if the evaluator still accepts it.
  package static let sessionMatch = TrustLockSwitches(rawValue: 8)
  /// All three locks, which are always on outside tests.
  package static let all: TrustLockSwitches = [.connectionMatch, .ownSessions, .sessionMatch, .gate]
}
