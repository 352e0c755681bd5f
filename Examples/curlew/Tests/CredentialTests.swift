import ArgumentParser
import CurlewCore
import CurlewTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CurlewTool

@Suite struct CredentialTests {
  private static let basic = "Basic " + Data("jäsøn:se:cret".utf8).base64EncodedString()

  private static func origin(_ scheme: String = "Basic realm=\"r\"") async throws -> ScriptedOrigin {
    try await ScriptedOrigin.start { request in
      let sent = request["Authorization"] ?? ""
      return sent == basic || sent.hasPrefix("Digest username=\"jäsøn\"") || sent == "Bearer t0ken"
        ? .ok("welcome") : .status(401, "who?", ["WWW-Authenticate": scheme])
    }
  }

  private static let digest = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"

  @Test(
    arguments: [
      ("Basic realm=\"r\"", [], ["Basic", "Basic"]), ("Basic realm=\"r\"", ["--basic"], ["Basic", "Basic"]),
      ("Basic realm=\"r\"", ["--anyauth"], [nil, "Basic", "Basic"]),
      (digest, ["--anyauth"], [nil, "Digest", "Digest"]), (digest, ["--digest"], [nil, "Digest", "Digest"]),
    ] as [(String, [String], [String?])])
  func `--user is sent at once as Basic, or behind a challenge if asked, and is not seen in a trace`(
    scheme: String, options: [String], sent: [String?]
  ) async throws {
    let origin = try await Self.origin(scheme)
    let run = try await ToolRun(
      ["get", "--trace", "--parallel", "1", "--user", "jäsøn:se:cret"] + options + [
        origin.address("/a"), origin.address("/b"),
      ])
    #expect(run.status == 0)
    #expect(run.output == "welcomewelcome")
    let schemes = origin.requests.map { $0["Authorization"]?.split(separator: " ").first.map(String.init) }
    #expect(schemes == sent, "\(schemes)")
    #expect(run.errors.contains("challenged by") == sent.contains(nil))
    for secret in ["se:cret", Self.basic, "response="] { #expect(!run.errors.contains(secret)) }
    await origin.stop()
  }

  @Test func `a wrong password is tried once and is a failure`() async throws {
    let origin = try await Self.origin()
    let run = try await ToolRun(["get", "--user", "jäsøn:wrong", origin.address("/")])
    #expect(run.status == 1)
    #expect(run.errors.contains("401"))
    #expect(!run.errors.contains("wrong"))
    #expect(run.errors.hasSuffix("; the server refused the name or the password of --user.\n"), "\(run.errors)")
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `a Digest challenge is answered after the password was sent as Basic`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      request["Authorization"]?.hasPrefix("Digest ") == true
        ? .ok("welcome") : .status(401, "who?", ["WWW-Authenticate": Self.digest])
    }
    let run = try await ToolRun(["-u", "a:b", origin.address("/")])
    #expect(run.output == "welcome" && origin.requests.count == 2, "\(run.errors)")
    let basic = try await ToolRun(["--basic", "-u", "a:b", origin.address("/")])
    #expect(basic.status == 1 && origin.requests.count == 3)
    await origin.stop()
  }

  @Test func `a password that is sent at once does not follow a redirect to another server`() async throws {
    let other = try await ScriptedOrigin.start { request in
      .ok(request["Authorization"] ?? "nothing")
    }
    let elsewhere = other.address("/")
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/out": .redirect(to: elsewhere)
      case "/in": .redirect(to: "/")
      default: .ok(request["Authorization"] ?? "nothing")
      }
    }
    let file = FileManager.default.temporaryDirectory.path + "/curlew-netrc-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data("default login jäsøn password se:cret".utf8).write(to: URL(filePath: file))
    for options in [["-u", "jäsøn:se:cret"], ["-s", "--netrc-file", file]] {
      #expect(try await ToolRun(options + [origin.address("/in")]).output == Self.basic)
      #expect(origin.requests.last?["Authorization"] == Self.basic)
      #expect(try await ToolRun(options + [origin.address("/out")]).output == "nothing")
    }
    #expect(origin.requests.allSatisfy { $0["Authorization"] == Self.basic })
    await origin.stop()
    await other.stop()
  }

  @Test(arguments: [
    (["--digest", "-u", "a:b"], "the server asks for Basic, which --digest does not answer, so no password was sent"),
    (["--bearer", "t"], "the server refused the token of --bearer"),
    (["-H", "Authorization: x y"], "the server refused the field Authorization that was given"),
    ([], "give --user or --bearer"),
  ])
  func `the advice after a 401 says what was refused, and of what was not sent that it was not`(
    arguments: [String], advice: String
  ) async throws {
    let origin = try await Self.origin()
    let run = try await ToolRun(arguments + [origin.address("/")])
    #expect(run.status == 1 && run.errors.hasSuffix("; \(advice).\n"), "\(run.errors)")
    await origin.stop()
  }

  @Test func `--bearer is sent with the first request, and a field of that name wins`() async throws {
    let origin = try await Self.origin()
    let run = try await ToolRun(["get", "--bearer", "t0ken", origin.address("/")])
    #expect(run.output == "welcome")
    #expect(origin.requests.count == 1)
    let other = try await ToolRun(["get", "--bearer", "t0ken", "-H", "Authorization: Own thing", origin.address("/")])
    #expect(other.status == 1)
    #expect(origin.requests.last?["Authorization"] == "Own thing")
    await origin.stop()
  }

  @Test func `an agent answers with them too`() async throws {
    let origin = try await Self.origin()
    let line = #"{"id":1,"url":"\#(origin.address("/"))"}"# + "\n"
    for arguments in [["--user", "jäsøn:se:cret"], ["--bearer", "t0ken"]] {
      let run = try await ToolRun(["agent"] + arguments, input: Data(line.utf8))
      #expect(run.output.contains("\"status\":200"))
    }
    await origin.stop()
  }

  @Test func `no other origin gets an answer, and no proxy`() async throws {
    let settings = CredentialSettings(user: .password(user: "u", password: "p"))
    var exchange = ExchangeSettings()
    settings.apply(to: &exchange, for: try Request(.get, "https://a.example/"))
    let hook = try #require(exchange.hooks.challenge)
    func isAnswered(
      _ scheme: Origin.Scheme, _ host: String, isProxy: Bool = false, failures: Int = 0
    ) async throws -> Bool {
      let space = ProtectionSpace(
        origin: try Origin(scheme: scheme, host: host), isProxy: isProxy, scheme: "basic", realm: "r")
      if case .use = await hook(Challenge(protectionSpace: space, previousFailureCount: failures)) { return true }
      return false
    }
    #expect(try await isAnswered(.https, "a.example"))
    #expect(try await !isAnswered(.http, "a.example"))
    #expect(try await !isAnswered(.https, "b.example"))
    #expect(try await !isAnswered(.https, "a.example", isProxy: true))
    #expect(try await !isAnswered(.https, "a.example", failures: 1))
  }

  @Test(arguments: [
    ["--user", ""], ["--user", "a:b\nc"], ["--user", "a\u{85}:b"], ["--bearer", ""], ["--bearer", "a b"],
    ["--bearer", "a\r\nX: y"], ["--user", "a:b", "--bearer", "t"],
  ])
  func `what cannot be sent is wrong usage, and not repeated`(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Root.parseAsRoot(["get"] + arguments + ["http://h/"]) }
    #expect(error.map { Root.exitCode(for: $0) } == .validationFailure)
  }
}
