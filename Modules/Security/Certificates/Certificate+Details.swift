import COpenSSL
public import FoundationEssentials
import Glibc

extension Certificate {
  /// The contents of a certificate for people to read; nothing here was verified.
  ///
  /// All text is printable ASCII, whatever the certificate contains, so that a terminal can show it.
  public struct Details: Sendable, Hashable {
    /// The subject in the notation of RFC 4514; may be empty.
    public var subject: String
    /// The issuer in the notation of RFC 4514.
    public var issuer: String
    /// The DNS names and addresses of the subjectAltName, at most the first 1,000.
    public var names: [String]
    /// The start of the validity period; nil when it cannot be read.
    public var notBefore: Date?
    /// The end of the validity period; nil when it cannot be read.
    public var notAfter: Date?
    /// The serial number in hexadecimal.
    public var serialNumber: String
    /// The kind and size of the key, such as `EC 256 bits`.
    public var key: String
    /// The signature algorithm, such as `ecdsa-with-SHA256`.
    public var signature: String
    /// Whether the certificate may issue others.
    public var isAuthority: Bool
  }

  /// The contents for people to read; nil only when memory is exhausted.
  public var details: Details? {
    guard let parsed = ParsedCertificate(der) else { return nil }
    defer {
      extendLifetime(parsed)
      ERR_clear_error()
    }
    let certificate = parsed.pointer
    return Details(
      subject: CertificateText.name(X509_get_subject_name(certificate)),
      issuer: CertificateText.name(X509_get_issuer_name(certificate)),
      names: CertificateText.names(of: certificate),
      notBefore: CertificateText.date(X509_get0_notBefore(certificate)),
      notAfter: CertificateText.date(X509_get0_notAfter(certificate)),
      serialNumber: CertificateText.number(X509_get0_serialNumber(certificate)),
      key: CertificateText.key(X509_get0_pubkey(certificate)),
      signature: CertificateText.signature(X509_get_signature_nid(certificate)),
      isAuthority: X509_check_ca(certificate) != 0)
  }
}

/// Formats parts of certificates as text.
enum CertificateText {
  private static let mostNames: Int32 = 1_000

  /// Returns a name in the notation of RFC 4514.
  ///
  /// Everything except printable ASCII is escaped.
  static func name(_ name: OpaquePointer?) -> String {
    guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(bio) }
    guard curlew_print_name(bio, name) == 1 else { return "" }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = curlew_memory(bio, &bytes)
    guard count > 0, let bytes else { return "" }
    return printable(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  static func names(of certificate: OpaquePointer) -> [String] {
    guard let names = curlew_alternative_names(certificate) else { return [] }
    defer { GENERAL_NAMES_free(names) }
    return (0..<max(0, min(mostNames, curlew_names_count(names)))).compactMap { index in
      var kind: Int32 = 0
      guard let name = curlew_name_at(names, index), let value = GENERAL_NAME_get0_value(name, &kind),
        kind == GEN_DNS || kind == GEN_IPADD
      else { return nil }
      let string = value.assumingMemoryBound(to: ASN1_STRING.self)
      let bytes = UnsafeRawBufferPointer(
        start: ASN1_STRING_get0_data(string), count: Int(max(0, ASN1_STRING_length(string))))
      return kind == GEN_DNS ? printable(bytes) : address(bytes)
    }
  }

  private static func address(_ bytes: UnsafeRawBufferPointer) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard bytes.count == 4 || bytes.count == 16,
      inet_ntop(family, bytes.baseAddress, &text, socklen_t(INET6_ADDRSTRLEN)) != nil
    else { return "address of \(bytes.count) bytes" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
  }

  static func number(_ number: UnsafePointer<ASN1_INTEGER>?) -> String {
    guard let number, let large = ASN1_INTEGER_to_BN(number, nil) else { return "" }
    defer { BN_free(large) }
    guard let digits = BN_bn2hex(large) else { return "" }
    defer { CRYPTO_free(digits, "", 0) }
    return String(cString: digits)
  }

  static func key(_ key: OpaquePointer?) -> String {
    guard let key, let kind = EVP_PKEY_get0_type_name(key) else { return "unknown" }
    return "\(String(cString: kind)) \(EVP_PKEY_get_bits(key)) bits"
  }

  static func signature(_ algorithm: Int32) -> String {
    OBJ_nid2sn(algorithm).map { String(cString: $0) } ?? "unknown"
  }

  private static func printable(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      if (0x20..<0x7F).contains(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "\\"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
