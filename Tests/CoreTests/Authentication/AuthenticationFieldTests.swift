import CurlewCore
import HTTPTypes
import Testing

struct AuthenticationFieldTests {
  private func written(_ challenges: [AuthenticationChallengeField]) -> String {
    challenges.map { challenge in
      let parameters = challenge.parameters.map { $0.name + "=" + $0.value }.joined(separator: "&")
      return challenge.scheme + "[" + (challenge.token68 ?? parameters) + "]"
    }.joined(separator: " ")
  }

  @Test(arguments: [
    ("Basic realm=\"simple\"", "Basic[realm=simple]"),
    (
      "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
      "Basic[realm=simple] Newauth[realm=apps&type=1&title=Login to \"apps\"]"
    ),
    ("Negotiate", "Negotiate[]"), ("Negotiate, NTLM", "Negotiate[] NTLM[]"),
    ("Negotiate a874==, Basic realm=x", "Negotiate[a874==] Basic[realm=x]"),
    ("NTLM, Basic realm=\"a, b=c\",", "NTLM[] Basic[realm=a, b=c]"),
    (
      ",, Digest  realm = \"r\" ,, qop=\"auth,auth-int\" , algorithm=SHA-256",
      "Digest[realm=r&qop=auth,auth-int&algorithm=SHA-256]"
    ),
    ("Bearer realm=\"x\" error=\"invalid_token\"", "Bearer[realm=x&error=invalid_token]"),
    ("Digest nonce=abc/+==, uri=/a?b", "Digest[nonce=abc/+==&uri=/a?b]"),
    ("Digest realm=\"\", opaque=", "Digest[realm=&opaque=]"),
    ("Basic REALM=\"x\"", "Basic[realm=x]"), ("NTLM Basic realm=\"x\"", "NTLM[] Basic[realm=x]"),
    ("Negotiate , realm=x", "Negotiate[realm=x]"), ("", ""), (" , ", ""), ("Basic realm=", "Basic[realm=]"),
    ("Mutual realm=\"a\",Mutual realm=\"b\"", "Mutual[realm=a] Mutual[realm=b]"),
  ])
  func `challenges are told from their parameters`(text: String, expected: String) throws {
    #expect(written(try AuthenticationChallengeField.parse(text)) == expected)
  }

  @Test(arguments: [
    ("realm=\"x\"", FieldError.Kind.malformed), ("Basic realm=\"x", .malformed), ("Basic realm=x\"y\"", .malformed),
    ("Basic abc==, realm=x", .malformed), ("\"Basic\"", .malformed), ("Basic/x", .malformed), ("Bäsic", .malformed),
    ("Basic realm=a, realm=b", .duplicate), ("Digest Nonce=a, nonce=a", .duplicate),
  ])
  func `what leaves the grammar is a typed error`(text: String, kind: FieldError.Kind) {
    let error = #expect(throws: FieldError.self) { try AuthenticationChallengeField.parse(text) }
    #expect(error?.kind == kind)
  }

  @Test func `more challenges or parameters than allowed are refused`() {
    let schemes = (0...32).map { "S\($0)" }.joined(separator: ", ")
    let parameters = "S " + (0...64).map { "p\($0)=1" }.joined(separator: ", ")
    for text in [schemes, parameters] {
      let error = #expect(throws: FieldError.self) { try AuthenticationChallengeField.parse(text) }
      #expect(error?.kind == .tooMany)
    }
  }

  @Test func `several lines are read and a broken one is left out`() {
    var fields = HTTPFields()
    for line in ["Negotiate", "Basic realm=\"broken", "Digest realm=\"d\", nonce=\"n\", Basic realm=\"b\""] {
      fields.append(HTTPField(name: .wwwAuthenticate, value: line))
    }
    let challenges = AuthenticationChallengeField.all(in: fields, .wwwAuthenticate)
    #expect(challenges.map(\.scheme) == ["Negotiate", "Digest", "Basic"])
    #expect(challenges[1].realm == "d")
    #expect(challenges[1]["NONCE"] == "n")
    #expect(challenges[1].hasScheme("dIgEst"))
    #expect(AuthenticationChallengeField.all(in: fields, .proxyAuthenticate).isEmpty)
  }

  @Test func `the parameters of Authentication-Info are read`() throws {
    let info = try AuthenticationInfoField("nextnonce=\"abc\", qop=auth, nc=00000001,")
    #expect(info["nextNonce"] == "abc")
    #expect(info.parameters.count == 3)
    #expect(throws: FieldError.self) { try AuthenticationInfoField("Basic") }
    #expect(throws: FieldError.self) { try AuthenticationInfoField("a=1, a=2") }
  }

  @Test func `credentials are written with the quotes that are asked for`() throws {
    let digest = try AuthorizationField(
      scheme: "Digest",
      parameters: [
        .init("username", "M\"u\\f"), .init("nc", "00000001", isQuoted: false), .init("x", "a b", isQuoted: false),
      ])
    #expect(digest.fieldValue == "Digest username=\"M\\\"u\\\\f\", nc=00000001, x=\"a b\"")
    let basic = try AuthorizationField(scheme: "Basic", credentials: "QWxhZGRpbg==")
    #expect(basic.fieldValue == "Basic QWxhZGRpbg==")
    #expect(try AuthorizationField(scheme: "Bearer", credentials: "1|a:b").fieldValue == "Bearer 1|a:b")
  }

  @Test(arguments: ["", "a b", "a\r\nX: y", "ä", "a\0"])
  func `credentials that no field can carry are refused`(credentials: String) {
    #expect(throws: FieldError.self) { try AuthorizationField(scheme: "Bearer", credentials: credentials) }
    #expect(throws: FieldError.self) { try AuthorizationField(scheme: credentials, credentials: "a") }
    if credentials.utf8.contains(where: { $0 < 0x20 }) {
      let parameters = [AuthorizationField.Parameter("realm", credentials)]
      #expect(throws: FieldError.self) { try AuthorizationField(scheme: "Digest", parameters: parameters) }
    }
  }

  @Test func `a parameter occurs once and there is at least one`() {
    let twice = [AuthorizationField.Parameter("a", "1"), .init("A", "2")]
    #expect(throws: FieldError.self) { try AuthorizationField(scheme: "Digest", parameters: twice) }
    #expect(throws: FieldError.self) { try AuthorizationField(scheme: "Digest", parameters: []) }
  }

  @Test func `no description shows the secret`() throws {
    let field = try AuthorizationField(scheme: "Bearer", credentials: "s3cret")
    var dumped = ""
    dump(field, to: &dumped)
    for text in [field.description, field.debugDescription, "\(field)", String(reflecting: field), dumped] {
      #expect(text.contains("Bearer"))
      #expect(!text.contains("s3cret"))
    }
  }

  @Test func `random text never traps`() throws {
    var fuzz = FieldFuzz(
      seed: 8, near: ["Digest realm=\"r\", qop=\"auth\", nonce=\"n\", Basic realm=x", "Negotiate a/b+c==, NTLM"])
    var read = 0
    for _ in 0..<100_000 {
      let text = fuzz.text()
      if let challenges = try? AuthenticationChallengeField.parse(text) { read += challenges.count }
      _ = try? AuthenticationInfoField(text)
      if let field = try? AuthorizationField(scheme: "X", parameters: [.init("a", text)]) {
        try #require((try? AuthenticationChallengeField.parse(field.fieldValue))?.first?["a"] == text)
      }
    }
    try #require(read > 10_000)
  }
}
