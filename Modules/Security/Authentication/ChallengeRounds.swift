import CurlewCore

/// The state machine of the challenges from one side, the server or the proxy.
///
/// It covers one request. It decides which challenge is answered next, whether a credential was refused, and when to give up.
/// It calls and sends nothing itself.
struct ChallengeRounds: Sendable {
  /// A credential that was sent to this side.
  struct Sent: Sendable, Hashable {
    var space: ProtectionSpace
    var credential: Credential
    /// Whether it was sent before this request met a challenge.
    var isPreemptive: Bool
    /// Whether it came from a `TokenSource`, which knows no realm.
    var isToken = false

    func concerns(_ offer: AuthenticationOffer) -> Bool {
      isToken ? offer.space.scheme == "bearer" : offer.space == space
    }
  }

  enum Move: Sendable, Hashable {
    /// Return the challenge as the response.
    case giveUp
    /// Find a credential, then call `answer`, or `pass` when there is none.
    case consult(AuthenticationOffer, failures: Int)
    /// Send the request again with this credential.
    case send(AuthenticationOffer, Credential)
  }

  private let limit: Int
  /// The number of answers that were sent.
  private(set) var answers = 0
  private var sent: Sent?
  /// Whether a credential was sent at any time.
  private(set) var hasSent = false
  private var open: [AuthenticationOffer] = []
  private var failures: [ProtectionSpace: Int] = [:]
  private var refused: [ProtectionSpace: Set<Credential>] = [:]
  /// Whether a Digest response was sent with this request, asked for or not.
  private var sentDigest = false

  /// - Parameter limit: The number of answers that one request may send; 0 or more.
  init(limit: Int) { self.limit = limit }

  /// Records the credential that is sent before any challenge, if any.
  mutating func begin(_ sent: Sent?) {
    self.sent = sent
    hasSent = sent != nil || answers > 0
    if sent?.space.scheme == "digest" { sentDigest = true }
  }

  /// Returns whether this credential was refused in this space.
  func wasRefused(_ credential: Credential, in space: ProtectionSpace) -> Bool {
    refused[space]?.contains(credential) ?? false
  }

  /// Takes the challenges of a response, the strongest first.
  mutating func challenge(_ offers: [AuthenticationOffer]) -> Move {
    let last = sent
    sent = nil
    // After Digest, never answer Basic: it would send in the clear the password that Digest kept secret.
    open = sentDigest ? offers.filter { $0.scheme != .basic } : offers
    guard let last else { return next() }
    guard let offer = offers.first(where: { last.concerns($0) }) else {
      if !last.isPreemptive { noteRefusal(of: last, by: offers) }
      return next()
    }
    // A server may refuse a nonce from an earlier request without setting `stale`; the password can still be right.
    let isOld = if case .digest = offer.scheme { last.isPreemptive } else { false }
    if offer.isStale || isOld, answers < limit {
      open = []
      return send(offer, last.credential, isToken: last.isToken)
    }
    failures[offer.space, default: 0] += 1
    refused[offer.space, default: []].insert(last.credential)
    return next()
  }

  /// Counts an answer as refused when the server asks again under another realm.
  ///
  /// Otherwise a server that invents a realm for each response would always seem to ask for the first time, and would be sent
  /// the password until the limit of answers is reached.
  private mutating func noteRefusal(of last: Sent, by offers: [AuthenticationOffer]) {
    let count = (failures[last.space] ?? 0) + 1
    failures[last.space] = count
    for offer in offers where offer.space.scheme == last.space.scheme {
      failures[offer.space] = max(count, failures[offer.space] ?? 0)
      refused[offer.space, default: []].insert(last.credential)
    }
  }

  /// Answers the challenge of the last `consult`.
  mutating func answer(_ offer: AuthenticationOffer, _ credential: Credential, isToken: Bool = false) -> Move {
    open = []
    return send(offer, credential, isToken: isToken)
  }

  /// Leaves the challenge of the last `consult` unanswered and goes on to the next.
  mutating func pass() -> Move { next() }

  private mutating func next() -> Move {
    guard answers < limit, !open.isEmpty else { return .giveUp }
    let offer = open.removeFirst()
    return .consult(offer, failures: failures[offer.space] ?? 0)
  }

  private mutating func send(_ offer: AuthenticationOffer, _ credential: Credential, isToken: Bool) -> Move {
    answers += 1
    hasSent = true
    if case .digest = offer.scheme { sentDigest = true }
    sent = Sent(space: offer.space, credential: credential, isPreemptive: false, isToken: isToken)
    return .send(offer, credential)
  }
}
