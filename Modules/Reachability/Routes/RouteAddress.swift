import Glibc

/// An IPv4 or IPv6 address whose first bit is the highest of `bits`.
struct RouteAddress: Hashable, Sendable {
  enum Family: Hashable, Sendable {
    case ipv4
    case ipv6
    var length: Int { self == .ipv4 ? 4 : 16 }
  }

  var family: Family
  var bits: UInt128

  init(_ family: Family, bits: UInt128 = 0) {
    self.family = family
    self.bits = bits
  }

  /// Creates an address from network order; nil when the length is wrong.
  init?(_ family: Family, _ bytes: some Collection<UInt8>) {
    guard bytes.count == family.length else { return nil }
    self.init(family, bits: bytes.reduce(0) { $0 << 8 | UInt128($1) } << UInt128(128 - 8 * family.length))
  }

  /// Reads an address from text; nil when it is invalid.
  init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(.ipv4, withUnsafeBytes(of: four) { Array($0) })
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self.init(.ipv6, withUnsafeBytes(of: six) { Array($0) })
    } else {
      return nil
    }
  }

  /// Returns the first `prefix` bits; the rest are 0.
  func masked(_ prefix: UInt8) -> UInt128 {
    prefix == 0 ? 0 : prefix >= 128 ? bits : bits & ~(UInt128.max >> UInt128(prefix))
  }

  /// Whether it is only valid on one link (169.254.0.0/16, fe80::/10).
  var isLinkLocal: Bool {
    family == .ipv4 ? bits >> 112 == 0xA9FE : bits >> 118 == 0xFE80 >> 6
  }

  /// Whether it is this machine (127.0.0.0/8, ::1).
  var isLoopback: Bool { family == .ipv4 ? bits >> 120 == 127 : bits == 1 }
}
