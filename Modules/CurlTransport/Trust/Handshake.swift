import COpenSSL
import CurlewCore
import FoundationEssentials
import Glibc

/// One TLS handshake and its terms of trust; owned by its TLS context.
///
/// The evaluator decides once in each handshake. If a session is resumed, the server presents no chain, and the evaluator gets
/// the chain of the session's first handshake: a certificate that has expired, was revoked or is no longer trusted since is
/// noticed. If it refuses that chain, no session is offered, and it decides about the chain that the server then presents.
// Safe because OpenSSL calls and frees it only on the loop's thread.
final class Handshake: @unchecked Sendable {
  private let terms: TrustLocks.Terms
  private weak var flight: CurlFlight?
  private let sessions: TLSSessions
  private let keyLog: KeyLog?
  private let locks: TrustLockSwitches
  /// The key of the sessions that it may resume and keep; nil for none.
  private let key: SessionKey?
  private var hasStarted = false
  private var hasOffered = false
  /// The session that it offered to the server, as long as it matters.
  private var offered: ResumableSession?
  private var isDone = false

  init(_ terms: TrustLocks.Terms, _ flight: CurlFlight, resuming key: SessionKey?) {
    self.terms = terms
    self.flight = flight
    self.key = key
    sessions = flight.loop.sessions
    keyLog = flight.loop.keyLog
    locks = flight.loop.configuration.trustLocks
  }

  deinit {
    // A server that stops in the handshake may do so because of the session.
    if let key, hasOffered, !isDone { sessions.forget(key) }
  }

  /// Returns to OpenSSL whether a chain is trusted: 1 means yes.
  static func verify(_ store: OpaquePointer?) -> Int32 {
    guard let store, let connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let handshake = of(OpaquePointer(connection))
    else { return 0 }
    // Before TLS 1.3 a stapled response follows the certificates, so the decision waits for `stapleSettled`. Until then the
    // connection has no verified tag, without which nothing is sent on it.
    let isTrusted =
      handshake.terms.requirements.requiresStapledOCSP
      || handshake.decide(OpaquePointer(connection), on: X509_STORE_CTX_get0_untrusted(store))
    X509_STORE_CTX_set_error(store, isTrusted ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION)
    return isTrusted ? 1 : 0
  }

  /// Continues once OpenSSL has the stapled response, or knows that none arrives.
  ///
  /// Returns 1 to continue, 0 to end the handshake.
  static func stapleSettled(_ ssl: OpaquePointer?) -> Int32 {
    guard let ssl, let handshake = of(ssl) else { return 0 }
    return handshake.decide(ssl, on: SSL_get_peer_cert_chain(ssl)) ? 1 : 0
  }

  /// Records that the server asks for a client identity and the client has none.
  static func noteLackOfIdentity(_ ssl: OpaquePointer?) {
    guard let ssl else { return }
    of(ssl)?.flight?.lacksIdentity = true
  }

  /// Handles an alert or a step of the handshake.
  static func note(_ ssl: OpaquePointer?, _ event: Int32, _ value: Int32) {
    guard let ssl else { return }
    switch event {
    case SSL_CB_HANDSHAKE_START: of(ssl)?.offer(ssl)
    case SSL_CB_HANDSHAKE_DONE: of(ssl)?.finish(ssl)
    case SSL_CB_READ_ALERT, SSL_CB_WRITE_ALERT:
      if event == SSL_CB_READ_ALERT { VerifiedTag.noteAlert(ssl, value) }
      if value >> 8 == SSL3_AL_FATAL { of(ssl)?.forgetSessions() }
    default: break
    }
  }

  /// Keeps the session of a new connection, right before its first request is sent.
  ///
  /// Before TLS 1.3 the session is part of the handshake, in which a server may also renew the ticket of a resumed one. OpenSSL
  /// says only after the handshake whether it has the extended master secret.
  static func keepSession(of ssl: OpaquePointer) {
    guard SSL_version(ssl) < TLS1_3_VERSION, let session = SSL_get_session(ssl), let handshake = of(ssl) else { return }
    if SSL_session_reused(ssl) == 0 || session != handshake.offered?.pointer { handshake.keep(session, of: ssl) }
  }

  /// Keeps a session that the server gave after the handshake, as it does since TLS 1.3.
  static func keep(_ session: OpaquePointer?, of ssl: OpaquePointer?) {
    guard let ssl, let session, SSL_version(ssl) >= TLS1_3_VERSION else { return }
    of(ssl)?.keep(session, of: ssl)
  }

  /// Writes a secret of the connection to the key log.
  static func log(_ ssl: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
    guard let ssl, let line else { return }
    of(ssl)?.keyLog?.append(line)
  }

  private static func of(_ ssl: OpaquePointer) -> Handshake? {
    guard let indices = ExDataIndices.shared, let context = SSL_get_SSL_CTX(ssl),
      let pointer = SSL_CTX_get_ex_data(context, indices.context)
    else { return nil }
    return Unmanaged<Handshake>.fromOpaque(pointer).takeUnretainedValue()
  }

  // MARK: Resuming

  /// Offers a session to the server, if the evaluator still accepts its chain.
  private func offer(_ ssl: OpaquePointer) {
    guard let key, !hasStarted else { return }
    hasStarted = true
    guard let session = sessions.take(key), SSL_set_session(ssl, session.pointer) == 1 else { return }
    if locks.contains(.sessionMatch) {
      do throws(ServerTrustError) {
        guard session.tag == terms.tag else { throw ServerTrustError(.policy, message: "The session is another's.") }
        try evaluate(ssl, SSL_get_peer_cert_chain(ssl))
      } catch {
        SSL_set_session(ssl, nil)
        return sessions.forget(key)
      }
    }
    offered = session
    hasOffered = true
    flight?.offeredSession = [key]
  }

  /// Tags a resumed connection with the terms under which its session was verified.
  private func finish(_ ssl: OpaquePointer) {
    isDone = true
    guard let offered, SSL_session_reused(ssl) == 1, VerifiedTag.of(ssl) == nil else { return }
    tag(ssl, VerifiedTag(offered.tag, provedAt: offered.provedAt))
    if SSL_version(ssl) >= TLS1_3_VERSION { self.offered = nil }
  }

  private func keep(_ session: OpaquePointer, of ssl: OpaquePointer) {
    guard let key, let seal = VerifiedTag.of(ssl) else { return }
    guard seal.tag == terms.tag || !locks.contains(.sessionMatch) else { return }
    sessions.keep(session, of: ssl, seal, for: key)
  }

  /// Forgets all sessions under these terms after a fatal alert (RFC 5246 §7.2).
  private func forgetSessions() {
    guard let key else { return }
    if hasOffered, !isDone { sessions.refuse(key) } else { sessions.forget(key) }
  }

  // MARK: The verdict

  /// Asks the evaluator, and tags the connection if it is trusted.
  private func decide(_ ssl: OpaquePointer, on chain: OpaquePointer?) -> Bool {
    do throws(ServerTrustError) {
      try evaluate(ssl, chain)
    } catch {
      flight?.trustFailure = .refused(error)
      return false
    }
    return tag(ssl, VerifiedTag(terms.tag, provedAt: monotonicNanoseconds()))
  }

  @discardableResult
  private func tag(_ ssl: OpaquePointer, _ tag: VerifiedTag) -> Bool {
    guard let indices = ExDataIndices.shared else { return false }
    let seal = Unmanaged.passRetained(tag).toOpaque()
    guard SSL_set_ex_data(ssl, indices.connection, seal) == 1 else {
      Unmanaged<VerifiedTag>.fromOpaque(seal).release()
      return false
    }
    return true
  }

  /// Asks the evaluator about a chain.
  private func evaluate(_ ssl: OpaquePointer, _ chain: OpaquePointer?) throws(ServerTrustError) {
    let trust = ServerTrust(
      host: terms.host, port: terms.port, certificates: Self.certificates(chain), ocspResponse: Self.staple(ssl),
      date: terms.clock.date)
    let start = monotonicNanoseconds()
    defer { flight?.noteCallback(since: start) }
    do throws(ServerTrustError) {
      guard !trust.certificates.isEmpty else {
        throw ServerTrustError(.malformed, message: "The server presented no certificate.")
      }
      if terms.requirements.requiresStapledOCSP, trust.ocspResponse == nil {
        throw ServerTrustError(
          .revocationUnknown, certificate: 0, message: "The server stapled no OCSP response.")
      }
      try terms.evaluator.evaluate(trust)
    } catch {
      var refusal = error
      refusal.trust = trust
      throw refusal
    }
  }

  /// Returns the presented certificates in DER, leaf first.
  ///
  /// It returns one more than the limit of the evaluators, so that they can refuse longer chains.
  private static func certificates(_ stack: OpaquePointer?) -> [Data] {
    guard let stack else { return [] }
    return (0..<max(0, min(101, curlew_x509_count(stack)))).compactMap { index in
      guard let certificate = curlew_x509_at(stack, index) else { return nil }
      return DER.of(certificate)
    }
  }

  private static func staple(_ ssl: OpaquePointer) -> Data? {
    var bytes: UnsafePointer<UInt8>?
    let count = curlew_ssl_staple(ssl, &bytes)
    guard count > 0, let bytes else { return nil }
    return Data(bytes: bytes, count: Int(count))
  }
}

/// The indices of our objects in OpenSSL's, and their release.
struct ExDataIndices: Sendable {
  let context: Int32
  let connection: Int32

  static let shared: ExDataIndices? = {
    let context = CRYPTO_get_ex_new_index(
      CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil,
      { _, pointer, _, _, _, _ in if let pointer { Unmanaged<Handshake>.fromOpaque(pointer).release() } })
    let connection = CRYPTO_get_ex_new_index(
      CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil,
      { _, pointer, _, _, _, _ in if let pointer { Unmanaged<VerifiedTag>.fromOpaque(pointer).release() } })
    guard context >= 0, connection >= 0 else { return nil }
    return ExDataIndices(context: context, connection: connection)
  }()
}

/// Encodes OpenSSL's objects in DER.
enum DER {
  static func of(_ certificate: OpaquePointer) -> Data? {
    let length = i2d_X509(certificate, nil)
    guard length > 0 else { return nil }
    var data = Data(count: Int(length))
    let written = data.withUnsafeMutableBytes { buffer -> Int32 in
      var cursor = buffer.bindMemory(to: UInt8.self).baseAddress
      return i2d_X509(certificate, &cursor)
    }
    return written == length ? data : nil
  }
}

/// Appends the secrets of TLS connections to a file, in NSS's format, which Wireshark reads.
///
/// Each line is written with one call, so that several programs can share a file. The file is readable by its owner only if it is new.
final class KeyLog: Sendable {
  private let descriptor: Int32

  /// Opens the file, or creates it.
  ///
  /// - Throws: `NetworkError` of kind `fileError`.
  init(_ path: String) throws(NetworkError) {
    // A pipe that nobody reads must stop neither this nor the transport's thread. C would end the path at a NUL.
    let isText = !path.utf8.contains(0)
    descriptor = isText ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600) : -1
    guard descriptor >= 0 else {
      let cause = FileSystemError(code: isText ? errno : EINVAL, operation: "open", path: path)
      throw NetworkError(
        .fileError, stage: .preparing, message: "The key log \(path) cannot be opened: \(cause.reason).",
        underlying: cause)
    }
  }

  deinit { close(descriptor) }

  /// Appends a line; a disk that is full must not end the connection.
  func append(_ line: UnsafePointer<CChar>) {
    let text = String(cString: line) + "\n"
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}
