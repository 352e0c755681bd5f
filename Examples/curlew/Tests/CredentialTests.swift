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

  @Test(arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"])
  func `--user answers Basic and Digest, and is not seen in a trace`(scheme: String) async throws {
    let origin = try await Self.origin(scheme)
    let run = try await ToolRun([
      "get", "--trace", "--parallel", "1", "--user", "jäsøn:se:cret", origin.address("/a"), origin.address("/b"),
    ])
    #expect(run.status == 0)
    #expect(run.output == "welcomewelcome")
    #expect(origin.requests.map { $0["Authorization"] == nil } == [true, false, false])
    #expect(run.errors.contains("challenged by"))
    for secret in ["se:cret", Self.basic, "response="] { #expect(!run.errors.contains(secret)) }
    await origin.stop()
  }

  @Test func `a wrong password is tried once and is a failure`() async throws {
    let origin = try await Self.origin()
    let run = try await ToolRun(["get", "--user", "jäsøn:wrong", origin.address("/")])
    #expect(run.status == 1)
    #expect(run.errors.contains("401"))
    #expect(!run.errors.contains("wrong"))
    #expect(origin.requests.count == 2)
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
