import CurlewCore
public import FoundationEssentials

/// The key of a cache's fingerprints of credentials and cookies.
///
/// A stored response may depend on a secret of its request, such as `Authorization`. Its key then contains a
/// fingerprint (SipHash-2-4) instead of the secret; someone who obtains a cache directory cannot test passwords against
/// it without this key, which is not stored there. A random key lives as long as its store: a later process does not
/// find entries that depend on secrets, and fetches them again. An app with a safe place for 16 bytes, such as a
/// keyring, can pass the same key to its store again and find those entries.
public struct CacheSecret: Sendable, Hashable {
  private let low: UInt64
  private let high: UInt64

  /// Creates a random secret.
  public init() {
    low = .random(in: .min ... .max)
    high = .random(in: .min ... .max)
  }

  /// Creates a secret from 16 bytes, which should be random; nil for another length.
  public init?(_ bytes: Data) {
    guard bytes.count == 16 else { return nil }
    low = Self.word(bytes.prefix(8))
    high = Self.word(bytes.suffix(8))
  }

  /// Returns the fingerprint of a text.
  func fingerprint(of text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { fingerprint(of: UnsafeRawBufferPointer($0)) }
  }

  /// SipHash-2-4 (Aumasson and Bernstein, 2012).
  func fingerprint(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = SipState(low, high)
    let whole = bytes.count & ~7
    for start in stride(from: 0, to: whole, by: 8) { state.take(Self.word(bytes[start..<start + 8])) }
    state.take(Self.word(bytes[whole...]) | UInt64(truncatingIfNeeded: bytes.count) << 56)
    return state.finish()
  }

  /// Returns up to eight bytes as a number, the first one lowest.
  private static func word(_ bytes: some Collection<UInt8>) -> UInt64 {
    var word: UInt64 = 0
    for byte in bytes.reversed() { word = word << 8 | UInt64(byte) }
    return word
  }
}

/// The four words of SipHash.
private struct SipState {
  private var v0, v1, v2, v3: UInt64

  init(_ low: UInt64, _ high: UInt64) {
    v0 = low ^ 0x736f_6d65_7073_6575
    v1 = high ^ 0x646f_7261_6e64_6f6d
    v2 = low ^ 0x6c79_6765_6e65_7261
    v3 = high ^ 0x7465_6462_7974_6573
  }

  mutating func take(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  mutating func finish() -> UInt64 {
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func round() {
    v0 &+= v1
    v1 = Self.turned(v1, 13) ^ v0
    v0 = Self.turned(v0, 32)
    v2 &+= v3
    v3 = Self.turned(v3, 16) ^ v2
    v0 &+= v3
    v3 = Self.turned(v3, 21) ^ v0
    v2 &+= v1
    v1 = Self.turned(v1, 17) ^ v2
    v2 = Self.turned(v2, 32)
  }

  private static func turned(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
