import CurlewCore

/// What is done about the challenges that one request meets from one side, server or proxy: a state machine.
///
/// It decides which challenge is taken next, when a credential was refused, and when to give up; it asks nobody and
/// sends nothing.
struct ChallengeRounds: Sendable {
  /// What was sent to this side.
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
    /// The challenge is the response.
    case giveUp
    /// Find a credential, and say so with `answer` or `pass`.
    case consult(AuthenticationOffer, failures: Int)
    /// Send again with this.
    case send(AuthenticationOffer, Credential)
  }

  private let limit: Int
  /// How many answers were sent.
  private(set) var answers = 0
  private var sent: Sent?
  private var open: [AuthenticationOffer] = []
  private var failures: [ProtectionSpace: Int] = [:]
  private var refused: [ProtectionSpace: Set<Credential>] = [:]
  /// Whether a Digest was the answer to a challenge of this request.
  private var sentDigest = false

  /// - Parameter limit: The most answers to one request, 0….
  init(limit: Int) { self.limit = limit }

  /// A credential goes out without having been asked for.
  mutating func begin(_ sent: Sent?) { self.sent = sent }

  /// Whether this credential was refused in this space.
  func wasRefused(_ credential: Credential, in space: ProtectionSpace) -> Bool {
    refused[space]?.contains(credential) ?? false
  }

  /// A response with these challenges came, the strongest first.
  mutating func challenge(_ offers: [AuthenticationOffer]) -> Move {
    let last = sent
    sent = nil
    // A password that Digest kept to itself is not given away in the clear once it turns out wrong.
    open = sentDigest ? offers.filter { $0.scheme != .basic } : offers
    guard let last, let offer = offers.first(where: { last.concerns($0) }) else { return next() }
    // A nonce that was used before may be refused without `stale`; it was not the password then.
    let isOld = if case .digest = offer.scheme { last.isPreemptive } else { false }
    if offer.isStale || isOld, answers < limit {
      open = []
      return send(offer, last.credential, isToken: last.isToken)
    }
    failures[offer.space, default: 0] += 1
    refused[offer.space, default: []].insert(last.credential)
    return next()
  }

  /// The app, or a `TokenSource`, answers the challenge that was asked about.
  mutating func answer(_ offer: AuthenticationOffer, _ credential: Credential, isToken: Bool = false) -> Move {
    open = []
    return send(offer, credential, isToken: isToken)
  }

  /// There is no answer to the challenge that was asked about.
  mutating func pass() -> Move { next() }

  private mutating func next() -> Move {
    guard answers < limit, !open.isEmpty else { return .giveUp }
    let offer = open.removeFirst()
    return .consult(offer, failures: failures[offer.space] ?? 0)
  }

  private mutating func send(_ offer: AuthenticationOffer, _ credential: Credential, isToken: Bool) -> Move {
    answers += 1
    if case .digest = offer.scheme { sentDigest = true }
    sent = Sent(space: offer.space, credential: credential, isPreemptive: false, isToken: isToken)
    return .send(offer, credential)
  }
}
