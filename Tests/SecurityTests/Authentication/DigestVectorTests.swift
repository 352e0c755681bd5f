import CurlewCore
import FoundationEssentials
import Testing

@testable import CurlewSecurity

/// The hashes of RFC 7616 and RFC 2617, computed by others.
@Suite struct DigestVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var source: String
    var algorithm: String
    var user = "Mufasa"
    var realm = "http-auth@example.org"
    var password = "Circle of Life"
    var target = "/dir/index.html"
    var nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    var opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    var clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    var hashedUser: String?
    var response: String
    var testDescription: String { source + ", " + algorithm }
  }

  @Test(arguments: [
    Vector(source: "RFC 7616 §3.9.1", algorithm: "MD5", response: "8ca523f5e9506fed4657c9700eebdbec"),
    Vector(
      source: "RFC 7616 §3.9.1", algorithm: "SHA-256",
      response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    // The RFC prints the hashes of a truncated SHA-512; these are the erratum's.
    Vector(
      source: "RFC 7616 §3.9.2 with erratum 4897", algorithm: "SHA-512-256", user: "Jäsøn Doe",
      realm: "api@example.org",
      password: "Secret, or not?", target: "/doe.json", nonce: "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
      opaque: "HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS",
      clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
      hashedUser: "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b",
      response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"),
    Vector(
      source: "RFC 2617 §3.5", algorithm: "MD5", realm: "testrealm@host.com", password: "Circle Of Life",
      nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque: "5ccc069c403ebaf9f0171e9517f40e41", clientNonce: "0a4f113b",
      response: "6629fae49393a05397450978507c4ef1"),
  ])
  func `the vectors of the RFCs come out`(vector: Vector) throws {
    var parameters = [
      "realm": vector.realm, "nonce": vector.nonce, "opaque": vector.opaque, "algorithm": vector.algorithm,
      "qop": "auth",
    ]
    if vector.hashedUser != nil { parameters.merge(["charset": "UTF-8", "userhash": "true"]) { $1 } }
    let challenge = try #require(DigestChallenge(.digest(parameters)))
    let turn = try #require(DigestSession(challenge).turn(vector.clientNonce))
    let computation = try DigestComputation(
      challenge, turn, challenge.quality(hashable: true), user: vector.user, password: vector.password,
      method: "GET", target: vector.target, bodyHash: nil)
    let sent = try SentDigest(computation.fieldValue())
    #expect(sent["response"] == vector.response)
    #expect(sent["nc"] == "00000001")
    #expect(sent["username"] == vector.hashedUser ?? vector.user)
  }

  @Test func `the field is written as RFC 7616 has it in its example`() throws {
    let challenge = try #require(
      DigestChallenge(
        .digest([
          "realm": "http-auth@example.org", "qop": "auth, auth-int", "algorithm": "SHA-256",
          "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
          "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
        ])))
    let turn = try #require(DigestSession(challenge).turn("f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"))
    let field = try DigestComputation(
      challenge, turn, .authentication, user: "Mufasa", password: "Circle of Life", method: "GET",
      target: "/dir/index.html", bodyHash: nil
    ).fieldValue()
    #expect(
      field == #"Digest username="Mufasa", realm="http-auth@example.org", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", algorithm=SHA-256, "#
        + #"qop=auth, nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "#
        + #"response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#)
  }

  @Test func `a name beyond ASCII goes hashed, extended or as UTF-8, as the server asks`() throws {
    func field(_ more: [String: String]) throws -> String {
      let parameters = ["realm": "api@example.org", "nonce": "n", "qop": "auth"].merging(more) { $1 }
      let challenge = try #require(DigestChallenge(.digest(parameters)))
      let turn = try #require(DigestSession(challenge).turn("c"))
      return try DigestComputation(
        challenge, turn, .authentication, user: "Ja\u{308}søn Doe", password: "Secret, or not?", method: "GET",
        target: "/", bodyHash: nil
      ).fieldValue()
    }
    // RFC 7616 §3.9.2 with erratum 4897.
    let hashed = try field(["userhash": "true", "charset": "UTF-8", "algorithm": "SHA-512-256"])
    #expect(hashed.contains(#"username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b""#))
    #expect(hashed.hasSuffix(", userhash=true"))
    // RFC 7616 §3.4: the percent-encoded form of the same name, composed.
    #expect(try field(["charset": "UTF-8"]).contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe,"))
    #expect(try field([:]).contains("username=\"J\u{E4}søn Doe\","))
  }

  @Test func `quotes and backslashes in realm, nonce, opaque and name are escaped and hashed as they are`() throws {
    let challenge = try #require(
      DigestChallenge(.digest(["realm": #"a"b\c"#, "nonce": #"n"\"#, "opaque": #"o\""#, "qop": "auth"])))
    let turn = try #require(DigestSession(challenge).turn("c"))
    let field = try DigestComputation(
      challenge, turn, .authentication, user: #"w"a\der"#, password: "p", method: "GET", target: "/", bodyHash: nil
    ).fieldValue()
    let sent = try SentDigest(field)
    #expect(sent["realm"] == #"a"b\c"#)
    #expect(sent["nonce"] == #"n"\"#)
    #expect(sent["opaque"] == #"o\""#)
    #expect(sent["username"] == #"w"a\der"#)
    #expect(sent.isRight(user: #"w"a\der"#, password: "p", method: "GET", body: []))
  }

  @Test(arguments: ["a\r\nX: y", "a\nb", "a\0b", "a\u{7F}", "a\u{85}b", "a\tb"])
  func `control characters in names and passwords are refused`(text: String) throws {
    let challenge = try #require(DigestChallenge(.digest(["realm": "r", "nonce": "n", "qop": "auth"])))
    let turn = try #require(DigestSession(challenge).turn("c"))
    for (user, password) in [(text, "p"), ("u", text)] {
      #expect(throws: CredentialError.controlCharacter) {
        try DigestComputation(
          challenge, turn, nil, user: user, password: password, method: "GET", target: "/", bodyHash: nil)
      }
      #expect(throws: CredentialError.controlCharacter) {
        try BasicCredentials.fieldValue(user: user, password: password)
      }
    }
  }

  @Test func `Basic is UTF-8, takes colons in passwords and refuses them in names`() throws {
    // RFC 7617 §2 and §2.1.
    #expect(
      try BasicCredentials.fieldValue(user: "Aladdin", password: "open sesame") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(try BasicCredentials.fieldValue(user: "test", password: "123£") == "Basic dGVzdDoxMjPCow==")
    #expect(try BasicCredentials.fieldValue(user: "e\u{301}", password: "a:b") == "Basic w6k6YTpi")
    #expect(try BasicCredentials.fieldValue(user: "", password: "") == "Basic Og==")
    #expect(throws: CredentialError.colonInUser) { try BasicCredentials.fieldValue(user: "a:b", password: "") }
  }
}
