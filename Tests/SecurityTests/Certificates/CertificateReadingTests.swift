import CurlewCore
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct CertificateReadingTests {
  /// The object identifier of a purpose, 1.3.6.1.5.5.7.3.…, as DER.
  private static func purpose(_ last: UInt8) -> [UInt8] { [0x06, 0x08, 0x2B, 6, 1, 5, 5, 7, 3, last] }
  private static let servers = purpose(1)
  private static let clients = purpose(2)

  /// `X509_CERT_AUX` of OpenSSL: what a certificate is trusted for, and what it is rejected for.
  private static func settings(trusted: [UInt8] = [], rejected: [UInt8] = []) -> [UInt8] {
    var content: [UInt8] = []
    if !trusted.isEmpty { content += [0x30, UInt8(trusted.count)] + trusted }
    if !rejected.isEmpty { content += [0xA0, UInt8(rejected.count)] + rejected }
    return [0x30, UInt8(content.count)] + content
  }

  private static func pem(_ bytes: [UInt8]) -> Data {
    let text = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return Data("-----BEGIN TRUSTED CERTIFICATE-----\n\(text)\n-----END TRUSTED CERTIFICATE-----\n".utf8)
  }

  @Test func `a pin with the line break of a file says so`() throws {
    let pin = "sha256/" + Data(repeating: 1, count: 32).base64EncodedString()
    #expect(try PublicKeyPin(pin).description == pin)
    for text in [pin + "\n", " " + pin, pin + "\r\n"] {
      let error = #expect(throws: SecurityError.self) { try PublicKeyPin(text) }
      #expect(error?.message.hasSuffix("the Base64 of 32 bytes; it has white space around it.") == true)
    }
    let other = #expect(throws: SecurityError.self) { try PublicKeyPin("sha256/no") }
    #expect(other?.message.hasSuffix("the Base64 of 32 bytes.") == true)
  }

  @Test func `a TRUSTED CERTIFICATE is read without its settings, unless they exclude TLS servers`() throws {
    let identity = try TestIdentity.selfSigned()
    let der = identity.certificate.der
    for settings in [[], Self.settings(), Self.settings(trusted: Self.servers), Self.settings(rejected: Self.clients)] {
      let read = try Certificate.all(pem: Self.pem(der + settings))
      #expect(read.map(\.der) == [Data(der)], "\(settings)")
    }
    for settings in [Self.settings(trusted: Self.clients), Self.settings(rejected: Self.servers)] {
      let error = #expect(throws: SecurityError.self) { try Certificate.all(pem: Self.pem(der + settings)) }
      #expect(error?.kind == .rejectedCertificate, "\(settings)")
    }
    for bytes in [[0x30, 0x00], der + [0x01], der + Self.settings() + [0x00]] {
      let error = #expect(throws: SecurityError.self) { try Certificate.all(pem: Self.pem(bytes)) }
      #expect(error?.kind == .malformedCertificate)
    }
  }

  @Test func `a pipe is refused by name, and nobody waits for its writer`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-pipe-\(UInt64.random(in: 0 ... .max))"
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let error = #expect(throws: SecurityError.self) { try Certificate.all(inFile: path) }
    #expect(error?.kind == .unreadableFile && error?.message == "\(path) is not a regular file.")
  }
}
