import CurlewCore
import CurlewDigests
import Testing

@testable import CurlewSecurity

/// What of a Digest challenge is taken, and what is not.
@Suite struct DigestChallengeTests {
  private static let least = ["realm": "r", "nonce": "n"]

  private func read(_ more: [String: String]) -> DigestChallenge? {
    DigestChallenge(.digest(Self.least.merging(more) { $1 }))
  }

  @Test(arguments: [
    ("MD5", DigestAlgorithm.md5, false), ("md5-SESS", .md5, true), ("SHA-256", .sha256, false),
    ("sha-256-sess", .sha256, true), ("SHA-512-256", .sha512Truncated256, false),
    ("SHA-512-256-sess", .sha512Truncated256, true),
  ])
  func `algorithms are known in any case`(name: String, hash: DigestAlgorithm, isSession: Bool) throws {
    let challenge = try #require(read(["algorithm": name, "qop": "auth"]))
    #expect(challenge.hash == hash)
    #expect(challenge.isSession == isSession)
    #expect(challenge.algorithm == name)
  }

  @Test(arguments: [
    ["algorithm": "SHA-512"], ["algorithm": "sess"], ["algorithm": "-sess"], ["algorithm": "MD5-sess"],
    ["qop": "auth-conf"], ["realm": "a\r\nb"], ["nonce": "\u{0}"], ["opaque": "\u{7F}"],
    ["nonce": String(repeating: "n", count: 8_192)],
  ])
  func `what cannot be answered is no offer`(parameters: [String: String]) {
    #expect(read(parameters) == nil)
    #expect(read(parameters.merging(["qop": "auth-conf, x"]) { old, _ in old }) == nil)
  }

  @Test func `without realm or nonce there is no offer, without qop and algorithm it is RFC 2069`() throws {
    #expect(DigestChallenge(.digest(["realm": "r"])) == nil)
    #expect(DigestChallenge(.digest(["nonce": "n"])) == nil)
    let challenge = try #require(read([:]))
    #expect(challenge.hash == .md5)
    #expect(challenge.quality(hashable: true) == nil)
    let turn = try #require(DigestSession(challenge).turn("c"))
    let field = try DigestComputation(
      challenge, turn, nil, user: "u", password: "p", method: "GET", target: "/", bodyHash: nil
    ).fieldValue()
    #expect(!field.contains("nc=") && !field.contains("cnonce") && !field.contains("qop"))
    #expect(try SentDigest(field).isRight(user: "u", password: "p", method: "GET", body: []))
  }

  @Test func `the strongest quality is taken that the body allows`() throws {
    let both = try #require(read(["qop": "auth,auth-int"]))
    #expect(both.quality(hashable: true) == .integrity)
    #expect(both.quality(hashable: false) == .authentication)
    let integrity = try #require(read(["qop": " auth-int , auth-conf"]))
    #expect(integrity.quality(hashable: false) == .integrity)
    #expect(try #require(read(["qop": "AUTH"])).quality(hashable: true) == .authentication)
  }

  @Test func `several challenges are taken strongest first, unknown ones left out`() throws {
    let origin = try Origin(scheme: .https, host: "a.example")
    let fields: [(String, [String: String])] = [
      ("basic", ["realm": "r"]), ("negotiate", [:]), ("digest", ["realm": "r", "nonce": "n", "qop": "auth"]),
      ("digest", ["realm": "r", "nonce": "n", "qop": "auth", "algorithm": "SHA-256"]),
      ("digest", ["realm": "r", "nonce": "n", "qop": "auth", "algorithm": "SHA-512-256"]), ("digest", ["realm": "r"]),
      ("bearer", [:]), ("basic", ["realm": "s"]),
    ]
    let offers = AuthenticationOffer.all(
      in: fields.map { scheme, parameters in
        Challenge(
          protectionSpace: ProtectionSpace(origin: origin, scheme: scheme, realm: parameters["realm"]),
          parameters: parameters.map { .init(name: $0.key, value: $0.value) })
      })
    let names = offers.map { offer in
      if case .digest(let digest) = offer.scheme { digest.hash.name } else { offer.space.scheme }
    }
    #expect(names == ["bearer", "sha-512-256", "sha-256", "md5", "basic", "basic"])
    #expect(offers.last?.space.realm == "s")
  }

  @Test func `a nonce is counted, and a session keeps its first client nonce`() throws {
    let plain = DigestSession(try #require(read(["qop": "auth"])))
    #expect(plain.turn("c1")?.countText == "00000001")
    let second = try #require(plain.turn("c2"))
    #expect(second.countText == "00000002" && second.clientNonce == "c2")
    plain.renew("m")
    plain.renew("m")
    let third = try #require(plain.turn("c3"))
    #expect(third.nonce == "m" && third.count == 1 && third.keyNonce == "n")
    let session = DigestSession(try #require(read(["qop": "auth", "algorithm": "SHA-256-sess"])))
    _ = session.turn("c1")
    #expect(session.turn("c2")?.clientNonce == "c1")
  }
}
