/// A fast 64-bit checksum that detects torn and corrupt bytes.
///
/// XXH64 with seed 0, from its public specification (doc/xxhash_spec.md of the xxHash project). It detects accidents;
/// it does not resist someone who constructs two contents with equal checksums.
///
/// ```swift
/// var checksum = Checksum()
/// data.withUnsafeBytes { checksum.update($0) }
/// let value = checksum.value
/// ```
public struct Checksum: Sendable {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  private var lanes: SIMD4<UInt64>
  /// Bytes that do not fill a stripe of 32 bytes yet.
  private var rest: [UInt8] = []
  private var length: UInt64 = 0

  /// Begins with no bytes.
  public init() {
    lanes = SIMD4(Self.prime1 &+ Self.prime2, Self.prime2, 0, 0 &- Self.prime1)
  }

  /// Computes the checksum of bytes that are complete.
  public init(of bytes: UnsafeRawBufferPointer) {
    self.init()
    update(bytes)
  }

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var offset = 0
    if !rest.isEmpty {
      offset = min(32 - rest.count, bytes.count)
      rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<offset]))
      guard rest.count == 32 else { return }
      rest.withUnsafeBytes { take($0, at: 0) }
      rest.removeAll(keepingCapacity: true)
    }
    while bytes.count - offset >= 32 {
      take(bytes, at: offset)
      offset += 32
    }
    rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
  }

  /// The checksum of all bytes so far.
  public var value: UInt64 {
    var hash: UInt64
    if length >= 32 {
      hash = 0
      for (lane, shift) in [(lanes.x, 1), (lanes.y, 7), (lanes.z, 12), (lanes.w, 18)] as [(UInt64, UInt64)] {
        hash &+= Self.rotated(lane, shift)
      }
      for lane in [lanes.x, lanes.y, lanes.z, lanes.w] {
        hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
      }
    } else {
      hash = Self.prime5
    }
    hash &+= length
    rest.withUnsafeBytes { hash = Self.finished(hash, $0) }
    hash = (hash ^ (hash >> 33)) &* Self.prime2
    hash = (hash ^ (hash >> 29)) &* Self.prime3
    return hash ^ (hash >> 32)
  }

  /// Adds one full stripe of 32 bytes.
  private mutating func take(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    lanes.x = Self.round(lanes.x, Self.word(bytes, offset))
    lanes.y = Self.round(lanes.y, Self.word(bytes, offset + 8))
    lanes.z = Self.round(lanes.z, Self.word(bytes, offset + 16))
    lanes.w = Self.round(lanes.w, Self.word(bytes, offset + 24))
  }

  private static func finished(_ start: UInt64, _ rest: UnsafeRawBufferPointer) -> UInt64 {
    var hash = start
    var offset = 0
    while rest.count - offset >= 8 {
      hash = rotated(hash ^ round(0, word(rest, offset)), 27) &* prime1 &+ prime4
      offset += 8
    }
    if rest.count - offset >= 4 {
      let half = UInt64(UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      hash = rotated(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < rest.count {
      hash = rotated(hash ^ (UInt64(rest[offset]) &* prime5), 11) &* prime1
      offset += 1
    }
    return hash
  }

  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotated(lane &+ input &* prime2, 31) &* prime1
  }

  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
