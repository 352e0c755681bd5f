import CurlewTestHarness
import CurlewTestSupport
import FoundationEssentials
import Testing

/// Where the strict policy judges a case of x509-limbo otherwise, OpenSSL's own program does so too.
@Suite(
  .enabled(if: PeerProgram.isAvailable(), "openssl is not installed"),
  .enabled(if: SharedData.has(LimboTests.path), "x509-limbo is not beside the package"))
struct OpenSSLLimboTests {
  @Test(arguments: LimboTests.strictDifferences.keys.sorted())
  func `each listed difference is OpenSSL's own answer`(id: String) async throws {
    let one = try #require(try LimboTests.cases().first { $0.id == id })
    let folder = FileManager.default.temporaryDirectory.path + "/curlew-limbo-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func file(_ name: String, _ texts: [String]) throws -> String {
      let path = folder + "/" + name
      try Data(texts.joined(separator: "\n").utf8).write(to: URL(filePath: path))
      return path
    }
    let date = try one.validationTime.map { try Date($0, strategy: .iso8601) } ?? LimboTests.now
    var arguments = [
      "verify", "-purpose", "sslserver", "-auth_level", "2", "-partial_chain", "-trusted_first", "-x509_strict",
      "-no-CAfile", "-no-CApath", "-no-CAstore", "-attime", String(Int(date.timeIntervalSince1970)),
      "-trusted", try file("roots", one.trustedCerts),
    ]
    if !one.untrustedIntermediates.isEmpty {
      arguments += ["-untrusted", try file("between", one.untrustedIntermediates)]
    }
    if !one.crls.isEmpty { arguments += ["-crl_check", "-CRLfile", try file("lists", one.crls)] }
    if let name = one.expectedPeerName {
      arguments += [name.kind == "IP" ? "-verify_ip" : "-verify_hostname", name.value]
    }
    let isTrusted = try await PeerProgram.output(arguments + [try file("leaf", [one.peerCertificate])]).status == 0
    #expect(isTrusted == (LimboTests.strictDifferences[id] == "accepted"))
  }
}
