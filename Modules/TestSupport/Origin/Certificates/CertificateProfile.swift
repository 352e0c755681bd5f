/// The contents of a test certificate, valid or not.
///
/// The default is a leaf for `localhost`, 127.0.0.1 and ::1 that any verifier accepts once its issuer is trusted:
/// ```swift
/// var profile = CertificateProfile(names: ["api.example"])
/// profile.notAfter = -3600      // expired an hour ago
/// ```
public struct CertificateProfile: Sendable {
  /// The subject's common name, which may contain a zero; nil for an empty subject.
  package var commonName: String? = "Curlew Test"
  /// The DNS names of the subjectAltName, unchanged.
  ///
  /// They may have wildcards, upper case, or a zero in the middle.
  package var names: [String] = ["localhost"]
  /// The addresses of the subjectAltName; valid ones have 4 or 16 bytes.
  package var addresses: [[UInt8]] = [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]]
  /// The start of validity in seconds from now; negative is the past.
  public var notBefore: Int64 = -3600
  /// The end of validity in seconds from now; negative is the past.
  public var notAfter: Int64 = 30 * 24 * 3600
  /// The kind of its key.
  package var key = TestKey.Kind.p256
  /// Whether it is signed with SHA-1 instead of SHA-256.
  package var usesSHA1 = false
  /// Whether one bit of the signature is flipped.
  package var breaksSignature = false
  /// The basic constraints in OpenSSL's syntax; nil for none.
  ///
  /// For example `critical,CA:TRUE,pathlen:0`.
  package var basicConstraints: String? = "critical,CA:FALSE"
  /// The key usage, such as `critical,digitalSignature`; nil for none.
  package var keyUsage: String? = "critical,digitalSignature"
  /// The extended key usage, such as `serverAuth` or `clientAuth`; nil for none.
  package var extendedKeyUsage: String? = "serverAuth"
  /// The name constraints; nil for none.
  ///
  /// For example `critical,permitted;DNS:.example.com`.
  package var nameConstraints: String?
  /// Whether clients must require a stapled OCSP response (RFC 7633).
  package var mustStaple = false
  /// Further extensions, each with its dotted OID and its DER value.
  package var extensions: [(oid: String, isCritical: Bool, der: [UInt8])] = []
  /// The serial number; nil for a random one of 63 bits.
  package var serialNumber: UInt64?

  /// Creates a leaf for the given DNS names and the loopback addresses.
  public init(names: [String] = ["localhost"]) {
    self.names = names
  }

  /// A server's leaf for `localhost` and the loopback addresses.
  public static var server: CertificateProfile { CertificateProfile() }

  /// Returns a client's leaf, without names.
  public static func client(_ commonName: String = "Curlew Test Client") -> CertificateProfile {
    var profile = CertificateProfile(names: [])
    profile.commonName = commonName
    profile.addresses = []
    profile.extendedKeyUsage = "clientAuth"
    return profile
  }

  /// Returns a certificate authority.
  ///
  /// - Parameters:
  ///   - commonName: The name of the authority.
  ///   - pathLength: The most authorities below it; nil sets no limit.
  public static func authority(_ commonName: String = "Curlew Test CA", pathLength: Int? = nil) -> CertificateProfile {
    var profile = CertificateProfile(names: [])
    profile.commonName = commonName
    profile.addresses = []
    profile.basicConstraints = "critical,CA:TRUE" + (pathLength.map { ",pathlen:\($0)" } ?? "")
    profile.keyUsage = "critical,keyCertSign,cRLSign,digitalSignature"
    profile.extendedKeyUsage = nil
    return profile
  }

  /// Returns this profile, changed by a closure.
  public func with(_ change: (inout CertificateProfile) -> Void) -> CertificateProfile {
    var copy = self
    change(&copy)
    return copy
  }

  /// The DER of the subjectAltName (RFC 5280 §4.2.1.6); nil without names.
  ///
  /// It is written here because OpenSSL's own syntax cannot express malformed names.
  var alternativeNames: [UInt8]? {
    let entries =
      names.map { DER.value(tag: 0x82, [UInt8]($0.utf8)) } + addresses.map { DER.value(tag: 0x87, $0) }
    return entries.isEmpty ? nil : DER.value(tag: 0x30, entries.flatMap { $0 })
  }
}

/// The part of DER that tests must write themselves.
enum DER {
  static func value(tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(rest & 0xff), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}
