import ArgumentParser
import CurlewCore
import CurlewSecurity
import FoundationEssentials

/// Whom to trust, and who to be.
struct TrustArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Trust what these certificates vouch for, instead of the system's.", valueName: "file"),
    transform: checkedPath)
  var cacert: String?

  @Option(
    help: ArgumentHelp("Show this certificate, PEM with its intermediates.", valueName: "file"), transform: checkedPath)
  var cert: String?

  @Option(
    help: ArgumentHelp("The key of --cert, PEM. Default: the file of --cert.", valueName: "file"),
    transform: checkedPath)
  var key: String?

  @Option(
    help: ArgumentHelp(
      "Take a server only when a certificate of its verified chain has this key.", valueName: "sha256/base64"))
  var pin: [PinArgument] = []

  @Option(
    help: ArgumentHelp(
      "Take a server only when its verified chain has a certificate of this file.", valueName: "file"),
    transform: checkedPath)
  var pinCertificate: [String] = []

  @Flag(help: "Verify no chain, date or name. With pins the server's own certificate must match one.")
  var insecure = false

  func validate() throws {
    if key != nil, cert == nil { throw ValidationError("--key goes with --cert.") }
    if !pin.isEmpty, !pinCertificate.isEmpty {
      throw ValidationError("--pin and --pin-certificate exclude each other.")
    }
    if insecure, cacert != nil {
      throw ValidationError("--insecure verifies no chain, so --cacert would mean nothing.")
    }
  }

  /// What the arguments ask for.
  ///
  /// - Throws: `ValidationError` when a file cannot be used.
  func settings() throws -> TrustSettings {
    do throws(SecurityError) {
      return TrustSettings(evaluator: try evaluator(), identity: try identity())
    } catch {
      throw ValidationError(error.message)
    }
  }

  private func evaluator() throws(SecurityError) -> (any ServerTrustEvaluating)? {
    var settings = SecurityPolicy.Settings()
    for path in pinCertificate { settings.pinnedCertificates += try Certificate.all(inFile: path) }
    if insecure, !pinCertificate.isEmpty { return try LeafTrust(settings.pinnedCertificates) }
    if let cacert { settings.anchors = .only(try Certificate.all(inFile: cacert)) }
    settings.publicKeyPins = Set(pin.map(\.pin))
    if !pin.isEmpty { settings.pinningMode = .publicKey }
    if !pinCertificate.isEmpty { settings.pinningMode = .certificate }
    if insecure {
      settings.allowInvalidCertificates = true
      settings.validatesDomainName = false
      settings.pinScope = .leaf
    }
    return settings == SecurityPolicy.Settings() ? nil : try SecurityPolicy(settings)
  }

  private func identity() throws(SecurityError) -> ClientIdentity? {
    guard let cert else { return nil }
    return try ClientIdentity(pem: try Self.bytes(of: cert), key: try Self.bytes(of: key ?? cert))
  }

  private static func bytes(of path: String) throws(SecurityError) -> Data {
    guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
      throw SecurityError(.unreadableFile, "\(path) cannot be read.")
    }
    return bytes
  }
}

/// What the trust arguments come to; nil is the transport's own default.
struct TrustSettings: Sendable {
  var evaluator: (any ServerTrustEvaluating)?
  var identity: ClientIdentity?
}

/// `sha256/` and the Base64 of 32 bytes.
struct PinArgument: ExpressibleByArgument, Sendable {
  let pin: PublicKeyPin

  init?(argument: String) {
    guard let pin = try? PublicKeyPin(argument) else { return nil }
    self.pin = pin
  }
}
