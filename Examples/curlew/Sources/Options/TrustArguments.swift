import ArgumentParser
import CurlewCore
import CurlewSecurity
import FoundationEssentials

/// The options about trust in servers and about the client's own certificate.
struct TrustArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Trust the servers that these authorities vouch for, instead of the system's.", valueName: "file"),
    transform: checkedPath)
  var cacert: String?

  @Option(
    name: [.customShort("E"), .long],
    help: ArgumentHelp("The client certificate in PEM, followed by its intermediates.", valueName: "file"),
    transform: checkedPath)
  var cert: String?

  @Option(
    help: ArgumentHelp("The private key of --cert in PEM. Default: the file of --cert.", valueName: "file"),
    transform: checkedPath)
  var key: String?

  @Option(
    help: ArgumentHelp(
      "Accept a server only if a certificate of its verified chain has this key.", valueName: "sha256/base64"),
    transform: PinArgument.read)
  var pin: [PinArgument] = []

  @Option(
    help: ArgumentHelp(
      "Accept a server only if its verified chain has a certificate of this file.", valueName: "file"),
    transform: checkedPath)
  var pinCertificate: [String] = []

  @Flag(
    name: [.customShort("k"), .long],
    help: """
      Verify neither chain, dates nor name, and say so on standard error unless --silent is given. With pins, the server's own certificate must match \
      one.
      """)
  var insecure = false

  func validate() throws {
    if key != nil, cert == nil { throw ValidationError("--key needs --cert.") }
    if !pin.isEmpty, !pinCertificate.isEmpty {
      throw ValidationError("--pin and --pin-certificate exclude each other.")
    }
    if insecure, cacert != nil {
      throw ValidationError("--insecure verifies no chain, so --cacert would have no effect.")
    }
  }

  /// Whether there are pins.
  var hasPins: Bool { !pin.isEmpty || !pinCertificate.isEmpty }

  /// Reads the files that the arguments name.
  ///
  /// - Throws: `ValidationError` when a file cannot be used.
  func settings() async throws -> TrustSettings {
    if let warning { StandardError.warn(warning) }
    do {
      return TrustSettings(evaluator: try await evaluator(), identity: try await identity())
    } catch let error as SecurityError {
      throw ValidationError(error.message)
    }
  }

  /// What `--insecure` leaves unchecked, nil without it.
  var warning: String? {
    guard insecure else { return nil }
    return pin.isEmpty && pinCertificate.isEmpty
      ? "curlew: Warning: --insecure accepts any certificate, so anyone on the way can read and change what is sent; "
        + "--cacert trusts one authority instead, and -k with --pin one key."
      : "curlew: Warning: --insecure verifies neither chain, dates nor name, only that the server's own certificate matches "
        + "a pin."
  }

  private func evaluator() async throws -> (any ServerTrustEvaluating)? {
    var settings = SecurityPolicy.Settings()
    for path in pinCertificate { settings.pinnedCertificates += try await Self.certificates(of: path) }
    if insecure, !pinCertificate.isEmpty { return try LeafTrust(settings.pinnedCertificates) }
    if let cacert { settings.anchors = .only(try await Self.certificates(of: cacert)) }
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

  private func identity() async throws -> ClientIdentity? {
    guard let cert else { return nil }
    let certificate = try await Self.bytes(of: cert)
    // A pipe can be read only once, so the file is not opened again for the key.
    let key = if let key { try await Self.bytes(of: key) } else { certificate }
    return try ClientIdentity(pem: certificate, key: key)
  }

  private static func certificates(of path: String) async throws -> [Certificate] {
    let bytes = try await bytes(of: path)
    do throws(SecurityError) {
      return try Certificate.all(in: bytes)
    } catch {
      throw ValidationError("\(path): \(error.message)")
    }
  }

  /// Reads a file to its end.
  ///
  /// A shell's `<(…)` is a pipe, whose length is unknown.
  private static func bytes(of path: String) async throws -> Data {
    do {
      // These options do not read standard input, so `-` is a file with that name.
      let file = InputFile(path: path == "-" ? "./-" : path)
      return try await file.read(upTo: mostBytes, advice: "give a file of certificates or a key")
    } catch let error as FileSystemError {
      throw ValidationError("\(path) cannot be read: \(error.reason).")
    } catch let error as FormatError {
      throw ValidationError("\(path) cannot be read: \(error).")
    }
  }

  private static let mostBytes = 16 << 20
}

/// The evaluator and the identity of the options; nil uses the transport's default.
struct TrustSettings: Sendable {
  var evaluator: (any ServerTrustEvaluating)?
  var identity: ClientIdentity?
}

/// A pin: `sha256/` and the Base64 of 32 bytes.
struct PinArgument: ExplainedArgument, Sendable {
  let pin: PublicKeyPin

  init?(argument: String) {
    guard let pin = try? PublicKeyPin(argument) else { return nil }
    self.pin = pin
  }

  static func problem(of argument: String) -> String {
    "Write sha256/ and the Base64 of 32 bytes, 44 characters, as curlew trust HOST prints them."
  }
}
