import CLibcurl
import COpenSSL
import CurlewCore

/// What a TLS session must share with a connection that resumes it.
///
/// The lane does not belong to it: all lanes of a request's terms may resume one another's sessions.
struct SessionKey: Hashable {
  /// The trust policy, the client identity and the account at the proxy; see `ConnectionTag`.
  var tag: String
  var origin: Origin
  /// The protocols that ALPN offers.
  var offer: HTTPOffer
  /// The other address or the socket to which the connection leads, if any.
  var route: String

  init(_ terms: TrustLocks.Terms, _ plan: SendPlan, _ locks: TrustLockSwitches) {
    tag = locks.contains(.sessionMatch) ? terms.tag : "any"
    origin = plan.origin
    offer = plan.version
    route = (plan.connectTo ?? "") + "\n" + (plan.request.options.unixSocketPath ?? "")
  }
}

/// A TLS session that a connection may resume, with the verification that it carries on.
final class ResumableSession {
  let pointer: OpaquePointer
  /// The tag of the terms under which the server was verified.
  let tag: String
  /// When the server proved in a full handshake that it has the key of its certificate.
  let provedAt: UInt64

  /// Takes ownership of the session.
  init(_ pointer: OpaquePointer, tag: String, provedAt: UInt64) {
    self.pointer = pointer
    self.tag = tag
    self.provedAt = provedAt
  }

  deinit { SSL_SESSION_free(pointer) }
}

/// The TLS sessions of a transport's connections, for new connections under the same terms.
///
/// It replaces libcurl's own cache, which does not know under which terms a session was verified. It never holds early data,
/// and only sessions that are safe to resume (`curlew_session_copy`).
final class TLSSessions {
  /// The longest time from a full handshake to the last resumption that goes back to it, in nanoseconds.
  private static let longest: UInt64 = 2 * 3600 * 1_000_000_000
  /// The most bytes of the ticket and the certificates of one session.
  private static let mostBytes = 24 * 1024
  /// At most 256 sessions, so 6 MB; most have less than 8 kB.
  private var shelf = SessionShelf<SessionKey, ResumableSession>(mostInAll: 256, mostPerKey: 32)

  /// All sessions, for tests.
  var all: [ResumableSession] { shelf.all }

  /// Keeps a session that a server gave to a verified connection.
  func keep(_ session: OpaquePointer, of ssl: OpaquePointer, _ seal: VerifiedTag, for key: SessionKey) {
    guard let copy = curlew_session_copy(ssl, session, Self.mostBytes) else { return }
    let now = monotonicNanoseconds()
    let promised = UInt64(curlew_session_lifetime(copy))
    var until = seal.provedAt &+ Self.longest
    if promised > 0 { until = min(until, now &+ min(promised, 7 * 24 * 3600) &* 1_000_000_000) }
    shelf.keep(
      ResumableSession(copy, tag: seal.tag, provedAt: seal.provedAt), for: key, until: until,
      // A ticket of TLS 1.3 would let others recognize the client if it were used twice (RFC 8446 appendix C.4).
      isSingleUse: SSL_SESSION_get_protocol_version(copy) >= TLS1_3_VERSION, now: now)
  }

  /// Returns a session for a new connection.
  func take(_ key: SessionKey) -> ResumableSession? {
    guard let (session, isLastUse) = shelf.take(key, now: monotonicNanoseconds()) else { return nil }
    if isLastUse { return session }
    // OpenSSL changes the session of a connection, so each connection has its own copy.
    return SSL_SESSION_dup(session.pointer).map {
      ResumableSession($0, tag: session.tag, provedAt: session.provedAt)
    }
  }

  /// Drops the sessions of a key.
  func forget(_ key: SessionKey) { shelf.forget(key) }

  /// Drops the sessions of a key with which resumption failed, and keeps no further ones for ten minutes.
  func refuse(_ key: SessionKey) { shelf.refuse(key, until: monotonicNanoseconds() &+ 600 * 1_000_000_000) }

  func removeAll() { shelf.removeAll() }
}

/// Sessions that may be resumed, of limited number, without I/O.
struct SessionShelf<Key: Hashable, Session> {
  private struct Entry {
    let key: Key
    let session: Session
    let until: UInt64
    let isSingleUse: Bool
  }

  /// The most sessions in total, and the most of one key.
  private let (mostInAll, mostPerKey): (Int, Int)
  /// The most keys to remember whose sessions are not kept.
  private static var mostRefused: Int { 64 }
  /// The sessions, oldest first.
  private var entries: [Entry] = []
  private var refused: [(key: Key, until: UInt64)] = []

  init(mostInAll: Int, mostPerKey: Int) { (self.mostInAll, self.mostPerKey) = (mostInAll, mostPerKey) }

  var count: Int { entries.count }
  /// All sessions, oldest first.
  var all: [Session] { entries.map(\.session) }

  /// Keeps a session until a time, in nanoseconds.
  ///
  /// The oldest sessions beyond the limits are dropped. A session that may be used several times replaces the others of its
  /// kind.
  mutating func keep(_ session: Session, for key: Key, until: UInt64, isSingleUse: Bool, now: UInt64) {
    guard until > now, !refused.contains(where: { $0.key == key && $0.until > now }) else { return }
    entries.removeAll { $0.until <= now || ($0.key == key && !$0.isSingleUse && !isSingleUse) }
    entries.append(Entry(key: key, session: session, until: until, isSingleUse: isSingleUse))
    if entries.count(where: { $0.key == key }) > mostPerKey, let oldest = entries.firstIndex(where: { $0.key == key }) {
      entries.remove(at: oldest)
    }
    if entries.count > mostInAll { entries.removeFirst() }
  }

  /// Returns the newest session of a key, and whether it is the last use of it; nil without one.
  mutating func take(_ key: Key, now: UInt64) -> (session: Session, isLastUse: Bool)? {
    guard let index = entries.lastIndex(where: { $0.key == key && $0.until > now }) else { return nil }
    let entry = entries[index]
    if entry.isSingleUse { entries.remove(at: index) }
    return (entry.session, entry.isSingleUse)
  }

  /// Drops the sessions of a key.
  mutating func forget(_ key: Key) { entries.removeAll { $0.key == key } }

  /// Drops the sessions of a key, and keeps no further ones until a time.
  mutating func refuse(_ key: Key, until: UInt64) {
    forget(key)
    refused.removeAll { $0.key == key }
    if refused.count == Self.mostRefused { refused.removeFirst() }
    refused.append((key, until))
  }

  mutating func removeAll() { entries = [] }
}

extension CurlFlight {
  /// Returns the error for a handshake that failed although it offered a session, and offers no more of them there.
  ///
  /// It is reported as a lost connection, after which `Loader` repeats the request with a full handshake. The server could
  /// have refused the session instead, but some servers end the connection.
  func failedResumption(_ result: CURLcode) -> NetworkError? {
    guard let offeredSession = offeredSession.first, !phase.isConnected else { return nil }
    switch result {
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
      loop.sessions.refuse(offeredSession)
      return NetworkError(
        .connectionLost, stage: .securing,
        message: "The TLS handshake failed after it offered an earlier session, and the next one will offer none.")
    default:
      // Perhaps the server did not answer because of the session.
      loop.sessions.forget(offeredSession)
      return nil
    }
  }
}
