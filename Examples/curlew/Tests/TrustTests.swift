import ArgumentParser
import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewTool

@Suite struct TrustTests {
  @Test(arguments: [
    ["get", "--key", "k.pem", "https://h/"], ["get", "--insecure", "--cacert", "c.pem", "https://h/"],
    ["get", "--pin", "sha256/short", "https://h/"], ["get", "--pin", "md5/AAAA", "https://h/"],
    ["get", "--pin", "sha256/\(pin)", "--pin-certificate", "c.pem", "https://h/"],
    ["trust"], ["trust", "http://h/"], ["trust", "a b"], ["trust", "h:99999"],
  ])
  func `wrong usage is refused while parsing`(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Root.parseAsRoot(arguments) }
    #expect(error.map { Root.exitCode(for: $0) } == .validationFailure)
  }

  private static let pin = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  @Test(arguments: [["--cacert"], ["--cert"], ["--pin-certificate"]])
  func `a file that cannot be used is wrong usage`(option: [String]) async throws {
    let identity = try TestIdentity.selfSigned().writeFiles()
    defer { identity.remove() }
    for file in ["/nonexistent/file.pem", identity.key] {
      let arguments = try TrustArguments.parse(option + [file])
      let error = await #expect(throws: (any Error).self) { try await arguments.settings() }
      #expect(error.map { Root.exitCode(for: $0) } == .validationFailure)
    }
  }

  @Test func `without trust options the transport's own default decides`() async throws {
    let settings = try await TrustArguments.parse([]).settings()
    #expect(settings.evaluator == nil && settings.identity == nil)
  }

  @Test func `each option trusts what it says and no more`() async throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue()
    let (rootFile, leafFile) = (try root.writeFiles(), try leaf.writeFiles())
    defer { for files in [rootFile, leafFile] { files.remove() } }
    let rootPin = try #require(root.certificate.pin)
    let leafPin = try #require(leaf.certificate.pin)
    let stranger = try TestIdentity.selfSigned()
    let cases: [([String], TestIdentity, String, ServerTrustError.Reason?)] = [
      (["--cacert", rootFile.root], leaf, "localhost", nil),
      (["--cacert", rootFile.root], leaf, "other.example", .hostMismatch),
      (["--cacert", rootFile.root], stranger, "localhost", .untrusted),
      (["--cacert", rootFile.root, "--pin", rootPin], leaf, "localhost", nil),
      (["--cacert", rootFile.root, "--pin", "sha256/\(Self.pin)"], leaf, "localhost", .pinMismatch),
      (["--cacert", rootFile.root, "--pin", "sha256/\(Self.pin)", "--pin", leafPin], leaf, "localhost", nil),
      (["--cacert", rootFile.root, "--pin-certificate", rootFile.root], leaf, "localhost", nil),
      (["--pin", leafPin], leaf, "localhost", .untrusted),
      (["--insecure"], stranger, "other.example", nil),
      (["--insecure", "--pin", leafPin], leaf, "other.example", nil),
      (["--insecure", "--pin", rootPin], leaf, "localhost", .pinMismatch),
      (["--insecure", "--pin", leafPin], stranger, "localhost", .pinMismatch),
      (["--insecure", "--pin-certificate", leafFile.chain], leaf, "other.example", nil),
      (["--insecure", "--pin-certificate", rootFile.root], leaf, "localhost", .pinMismatch),
    ]
    for (arguments, identity, host, reason) in cases {
      let evaluator = try #require(try await TrustArguments.parse(arguments).settings().evaluator)
      let trust = ServerTrust(
        host: host, port: 443, certificates: identity.chain.map { Data($0.der) }, date: Date())
      var refusal: ServerTrustError?
      do throws(ServerTrustError) { try evaluator.evaluate(trust) } catch { refusal = error }
      #expect(refusal?.reason == reason, "\(arguments)")
    }
  }

  @Test func `get shows its identity to a server of a private authority`() async throws {
    let root = try TestIdentity.authority()
    let files = try root.issue(.client()).writeFiles()
    defer { files.remove() }
    let tls = OriginTLS(try root.issue()).with { $0.clientCertificates = .issued(by: [root.root]) }
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello") }
    let url = origin.address("/")
    let good = try await ToolRun(
      ["get", "--cacert", files.root, "--cert", files.chain, "--key", files.key, url])
    #expect(good.status == 0 && good.output == "hello", "\(good.errors)")
    let nobody = try await ToolRun(["get", "--cacert", files.root, url])
    #expect(nobody.status == 1 && nobody.errors.contains("client-identity-failed"), "\(nobody.errors)")
    let untrusted = try await ToolRun(["get", "--cert", files.chain, "--key", files.key, url])
    #expect(untrusted.status == 1 && untrusted.errors.contains("server-trust-refused"), "\(untrusted.errors)")
    #expect(
      untrusted.errors.contains("; see its chain with curlew trust 127.0.0.1:\(origin.port); "), "\(untrusted.errors)")
    let plain = try await ToolRun(["get", "--pin", "sha256/\(Self.pin)", "http://localhost:1/"])
    #expect(plain.status == 1 && plain.errors.contains("refuses plain http"), "\(plain.errors)")
    #expect(origin.requests.count == 1)
    await origin.stop()
  }

  @Test func `trust shows the chain, the verdict and pins that work, and sends nothing`() async throws {
    let root = try TestIdentity.authority()
    let leaf = try root.issue(.authority("Middle")).issue()
    let files = try leaf.writeFiles()
    defer { files.remove() }
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(leaf)) { _ in .ok("hello") }
    let host = "localhost:\(origin.port)"
    let untrusted = try await ToolRun(["trust", host])
    #expect(untrusted.status == 1)
    #expect(untrusted.output.contains("\(host) shows 2 certificates\n"))
    #expect(untrusted.output.contains("NOT TRUSTED (untrusted"))
    let leafPin = try #require(leaf.certificate.pin)
    #expect(untrusted.output.contains("\n  --pin \(leafPin)\n"))
    let trusted = try await ToolRun(["trust", "--cacert", files.root, "--pin", leafPin, host])
    #expect(trusted.status == 0)
    #expect(trusted.output.contains("TRUSTED: a chain of 3 ends in CN=Curlew Test CA."))
    #expect(trusted.output.contains("matches certificate 0"))
    #expect(trusted.output.contains("\nHANDSHAKE: the key exchange works.\n"))
    let mismatch = try await ToolRun(["trust", "--cacert", files.root, "--pin", "sha256/\(Self.pin)", host])
    #expect(mismatch.status == 1 && !mismatch.output.contains("--pin"), "\(mismatch.output)")
    #expect(origin.requests.isEmpty && origin.counters.handshakes == 0)
    await origin.stop()
    let gone = try await ToolRun(["trust", host])
    #expect(gone.status == 1 && gone.output == "" && gone.errors.contains("connection-failed"))
  }

  @Test func `trust names a server that is not reached, and no redirect`() async throws {
    let run = try await ToolRun(["trust", "127.0.0.1:1"])
    #expect(
      run.status == 1 && run.errors.contains("127.0.0.1:1: ") && !run.errors.contains("redirected"), "\(run.errors)")
  }

  @Test func `trust reports a handshake that fails behind the certificates`() async throws {
    let leaf = try TestIdentity.selfSigned()
    let files = try leaf.writeFiles()
    defer { files.remove() }
    let tls = OriginTLS(leaf).with {
      $0.versions = .tls12 ... .tls12
      // Behind the certificates, within the key exchange.
      $0.handshake = .cut(afterBytes: leaf.certificate.der.count + 180)
    }
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello") }
    let run = try await ToolRun(["trust", "--cacert", files.root, "localhost:\(origin.port)"])
    #expect(run.status == 1)
    #expect(run.output.contains("\nTRUSTED: a chain of 1"), "\(run.output) \(run.errors)")
    #expect(run.output.contains("\nHANDSHAKE FAILED: The TLS handshake"))
    await origin.stop()
  }

  @Test func `certificates and a key are read from pipes to their end`() async throws {
    let root = try TestIdentity.authority()
    let files = try root.issue(.client()).writeFiles()
    defer { files.remove() }
    let tls = OriginTLS(try root.issue()).with { $0.clientCertificates = .issued(by: [root.root]) }
    let origin = try await ScriptedOrigin.start(tls: tls) { _ in .ok("hello") }
    let arguments = [origin.address("/"), files.root, files.chain, files.key]
    // The shell's own pipes come late and in pieces.
    let slow = #"<(sleep 0.2; head -c 100 "$2"; sleep 0.2; tail -c +101 "$2")"#
    let both = try await ToolRun(
      arguments, script: #"exec bash -c '"$0" get --cacert \#(slow) --cert <(cat "$3" "$4") "$1"' "$0" "$@""#)
    #expect(both.status == 0 && both.output == "hello", "\(both.errors)")
    let endless = try await ToolRun(
      arguments, script: #"exec bash -c '"$0" get --cacert <(yes) "$1"' "$0" "$@""#)
    #expect(endless.status == 2 && endless.errors.contains("larger than 16777216 bytes"), "\(endless.errors)")
    await origin.stop()
  }

  @Test func `a trace shows the server's own certificate, also of a server that is refused`() async throws {
    let root = try TestIdentity.authority()
    let files = try root.writeFiles()
    defer { files.remove() }
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try root.issue())) { _ in .ok("body") }
    for (options, status) in [(["--cacert", files.root], 0), ([], 1)] as [([String], Int32)] {
      let run = try await ToolRun(["-v", origin.address("/")] + options)
      #expect(run.status == status)
      let lines = run.errors.split(separator: "\n")
      #expect(lines.contains { $0.contains(" s: certificate of ") && $0.hasSuffix(":\(origin.port)") }, "\(run.errors)")
      #expect(lines.contains { $0.hasPrefix("*   valid ") && $0.contains("Z to ") }, "\(run.errors)")
      if status == 0 { #expect(run.errors.contains("TLSv1.")) }
    }
    await origin.stop()
  }

  @Test func `each refusal has its own advice, and none says to trust what was refused`() throws {
    let connection = try ConnectionArguments.parse([])
    let reasons: [ServerTrustError.Reason] = [
      .untrusted, .expired, .notYetValid, .hostMismatch, .revoked, .revocationUnknown, .pinMismatch, .weak, .constraint,
      .malformed, .policy,
    ]
    let advice = reasons.map { reason in
      let error = NetworkError(.serverTrustRefused, stage: .securing, message: "No.").with {
        $0.trust = ServerTrustError(reason, message: "No.")
      }
      return FetchFailure(error).sentence(for: "https://h/", over: connection)
    }
    #expect(Set(advice).count == reasons.count)
    for (reason, sentence) in zip(reasons, advice) {
      #expect(sentence.contains("; "), "\(reason.rawValue)")
      #expect(!sentence.contains("--insecure") && !sentence.contains("--pin"))
      #expect(sentence.contains("--cacert") == (reason == .untrusted))
    }
  }
}
