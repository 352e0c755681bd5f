import CurlewCore
import Testing

@testable import CurlewSecurity

/// The state machine of challenges, walked through all replies of a server and all answers of an app.
@Suite struct ChallengeRoundsTests {
  private typealias Rounds = ChallengeRounds

  private static let offers: [String: AuthenticationOffer] = {
    func offer(_ scheme: String, realm: String, _ more: [String: String] = [:]) -> AuthenticationOffer? {
      var challenge = Challenge.digest(["realm": realm, "nonce": "n", "qop": "auth"].merging(more) { $1 })
      challenge.protectionSpace.scheme = scheme
      return AuthenticationOffer.all(in: [challenge]).first
    }
    return [
      "basic": offer("basic", realm: "r"), "other": offer("basic", realm: "s"), "digest": offer("digest", realm: "r"),
      "stale": offer("digest", realm: "r", ["stale": "true"]),
    ].compactMapValues(\.self)
  }()

  private static let replies: [[String]] = [
    ["basic"], ["digest"], ["stale"], ["digest", "basic"], ["other", "basic"], [],
  ]

  private static let good = Credential.password(user: "u", password: "good")
  private static let bad = Credential.password(user: "u", password: "bad")

  /// All ways an app can answer a question: pass, or one of two credentials.
  private func settle(
    _ rounds: Rounds, _ move: Rounds.Move, _ trace: [String], _ visit: (Rounds, Rounds.Move, [String]) -> Void
  ) {
    guard case .consult(let offer, let failures) = move else { return visit(rounds, move, trace) }
    #expect(failures <= trace.count, "\(trace)")
    var passing = rounds
    let passed = passing.pass()
    settle(passing, passed, trace + ["pass"], visit)
    for credential in [Self.good, Self.bad] {
      var answering = rounds
      let sent = answering.answer(offer, credential)
      #expect(sent == .send(offer, credential), "\(trace)")
      visit(answering, sent, trace + ["answer"])
    }
  }

  private func walk(_ rounds: Rounds, limit: Int, answers: Int, _ trace: [String]) -> Int {
    #expect(answers <= limit, "more answers than allowed: \(trace)")
    var count = 1
    for reply in Self.replies {
      var next = rounds
      let move = next.challenge(reply.compactMap { Self.offers[$0] })
      settle(next, move, trace + [reply.joined(separator: "+")]) { rounds, move, trace in
        switch move {
        case .send(let offer, let credential):
          #expect(reply.contains { Self.offers[$0] == offer }, "answers what was not asked: \(trace)")
          #expect(credential == Self.good || credential == Self.bad)
          #expect(rounds.answers == answers + 1, "\(trace)")
          count += walk(rounds, limit: limit, answers: answers + 1, trace)
        case .giveUp: count += 1
        case .consult: Issue.record("still a question: \(trace)")
        }
      }
    }
    return count
  }

  @Test(arguments: [0, 1, 3])
  func `every dialogue ends within the limit, whatever is said`(limit: Int) {
    let count = walk(Rounds(limit: limit), limit: limit, answers: 0, [])
    #expect(count > (limit == 3 ? 1_000 : limit))
  }

  @Test func `a refusal counts for its space and its credential only`() throws {
    let (basic, other) = (try #require(Self.offers["basic"]), try #require(Self.offers["other"]))
    var rounds = Rounds(limit: 9)
    rounds.begin(.init(space: basic.space, credential: Self.bad, isPreemptive: true))
    #expect(rounds.challenge([other]) == .consult(other, failures: 0))
    #expect(!rounds.wasRefused(Self.bad, in: basic.space))
    _ = rounds.answer(other, Self.good)
    #expect(rounds.challenge([other, basic]) == .consult(other, failures: 1))
    #expect(rounds.wasRefused(Self.good, in: other.space))
    #expect(!rounds.wasRefused(Self.good, in: basic.space))
    #expect(rounds.pass() == .consult(basic, failures: 0))
    #expect(rounds.pass() == .giveUp)
  }

  @Test func `a password that was refused under Digest is not sent in the clear`() throws {
    let (digest, basic) = (try #require(Self.offers["digest"]), try #require(Self.offers["basic"]))
    var rounds = Rounds(limit: 9)
    #expect(rounds.challenge([digest, basic]) == .consult(digest, failures: 0))
    _ = rounds.answer(digest, Self.bad)
    #expect(rounds.challenge([digest, basic]) == .consult(digest, failures: 1))
    #expect(rounds.pass() == .giveUp)
    var other = Rounds(limit: 9)
    _ = other.challenge([digest, basic])
    #expect(other.pass() == .consult(basic, failures: 0))
  }

  @Test func `after a Digest that nobody asked for, Basic is not answered`() throws {
    let (digest, basic) = (try #require(Self.offers["digest"]), try #require(Self.offers["basic"]))
    var rounds = Rounds(limit: 9)
    rounds.begin(.init(space: digest.space, credential: Self.good, isPreemptive: true))
    #expect(rounds.challenge([basic]) == .giveUp)
    // A Basic that nobody asked for gave the password away already.
    var open = Rounds(limit: 9)
    open.begin(.init(space: basic.space, credential: Self.good, isPreemptive: true))
    #expect(open.challenge([basic]) == .consult(basic, failures: 1))
  }

  @Test func `an answer counts as refused under each realm that the server asks for next`() throws {
    func offer(_ realm: Int) throws -> AuthenticationOffer {
      let origin = try Origin(scheme: .https, host: "a.example")
      let space = ProtectionSpace(origin: origin, scheme: "basic", realm: "r\(realm)")
      return try #require(AuthenticationOffer.all(in: [Challenge(protectionSpace: space)]).first)
    }
    var rounds = Rounds(limit: 9)
    for realm in 0..<5 {
      let next = try offer(realm)
      #expect(rounds.challenge([next]) == .consult(next, failures: realm))
      if realm > 0 { #expect(rounds.wasRefused(Self.good, in: next.space)) }
      _ = rounds.answer(next, Self.good)
    }
  }

  @Test func `an old nonce is renewed without a question, stale or not, and once only where it is not said`() throws {
    let (digest, stale) = (try #require(Self.offers["digest"]), try #require(Self.offers["stale"]))
    var rounds = Rounds(limit: 9)
    rounds.begin(.init(space: digest.space, credential: Self.good, isPreemptive: true))
    #expect(rounds.challenge([digest]) == .send(digest, Self.good))
    #expect(rounds.challenge([stale]) == .send(stale, Self.good))
    #expect(rounds.challenge([digest]) == .consult(digest, failures: 1))
    #expect(rounds.wasRefused(Self.good, in: digest.space))
  }
}
